/** policies/*.yaml: what callers may see and do, one policy a file. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderDefinition } from '../../core/policy/folder.ts'
import type { PolicyDefinition } from '../../core/policy/policy.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { readFolders } from './folders.ts'
import { readName } from './names.ts'
import { isEmpty, type Node } from './node.ts'
import { type Findings, type Place, wholeFile } from './problems.ts'
import { readSending } from './sending.ts'

export interface ReadPolicy {
  readonly definition: PolicyDefinition
  readonly at: Place
  readonly accounts: readonly { readonly id: string; readonly at: Place }[]
}

const FOLDER = 'policies'
export const POLICY_KEYS = ['name', 'accounts', 'conceal_hidden', 'send', 'approvals']
const MOST_FILES = 1000

/** Relative names of the files that hold policies, in order. */
export function policyFiles(directory: string, findings: Findings): readonly string[] | undefined {
  const names = namesIn(join(directory, FOLDER))
  if (typeof names === 'string') {
    findings.unparsed(wholeFile(FOLDER), names)
    return undefined
  }
  // Editors, version control and mounted volumes keep things of their own under names that begin with a dot.
  const visible = names.filter((name) => !name.startsWith('.')).toSorted()
  const policies = visible.filter((name) => /\.ya?ml$/i.test(name))
  for (const name of visible.filter((other) => !policies.includes(other))) {
    findings.warn(wholeFile(join(FOLDER, name)), 'this is no .yaml file and was not read')
  }
  if (policies.length <= MOST_FILES) return policies.map((name) => join(FOLDER, name))
  findings.unparsed(wholeFile(FOLDER), `there are more than ${MOST_FILES} policies; write fewer instead`)
  return undefined
}

export function readPolicyFile(root: Node, findings: Findings): ReadPolicy | undefined {
  const fields = fieldsOf(root, 'a policy', POLICY_KEYS, findings)
  if (fields === undefined) return undefined
  fields.require('name', 'accounts')
  const name = readName(fields, 'name')
  const concealHidden = fields.flag('conceal_hidden', false)
  const send = readSending(fields, findings)
  const entries = fields.has('accounts') ? accountEntries(fields, findings) : []
  const accounts = new Map(entries.map(({ key, folders }) => [key, folders]))
  return {
    definition: { name, concealHidden, accounts, send },
    at: fields.place('name'),
    accounts: entries.map(({ key, at }) => ({ id: key, at })),
  }
}

interface AccountEntry {
  readonly key: string
  readonly at: Place
  readonly folders: readonly FolderDefinition[]
}

function accountEntries(fields: Fields, findings: Findings): AccountEntry[] {
  const node = fields.value('accounts')
  if (node?.kind !== 'mapping') {
    fields.problem(
      'accounts',
      'accounts must be a mapping; write the id of an account, a colon, and its folders below instead',
    )
    return []
  }
  if (node.entries.length === 0) fields.warn('accounts', 'this policy names no account, so it shows nothing')
  return node.entries.map(({ key, at, value }) => {
    if (value.kind === 'list') return { key, at, folders: readFolders(value.items, findings) }
    if (value.kind === 'mapping') return { key, at, folders: foldersUnder(value, findings) }
    const place = isEmpty(value) ? at : value.at
    findings.problem(place, 'the folders of an account must be a list; write [] or lines that begin with - instead')
    return { key, at, folders: [] }
  })
}

/** `ID: { folders: [...] }`: the form that trees written for other programs of this kind have. */
function foldersUnder(node: Node, findings: Findings): readonly FolderDefinition[] {
  const fields = fieldsOf(node, 'an account of a policy', ['folders'], findings)
  fields?.require('folders')
  return readFolders(fields?.items('folders') ?? [], findings)
}

/** Or why there are none. */
function namesIn(path: string): readonly string[] | string {
  try {
    if (!statSync(path).isDirectory()) return 'this is no directory; make it one, with a file for each policy in it'
    return readdirSync(path)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isMissing
      ? 'this directory is not there; make it, with a file for each policy in it'
      : 'this directory cannot be read; give the user that runs Postern the right to'
  }
}
