/** The folders that a policy names for an account. */
import { CAPABILITIES, type FolderDefinition } from '../../core/policy/folder.ts'
import { LEVELS, type Level } from '../../core/policy/level.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { collisionKey, problemOfPath } from './folder-path.ts'
import type { Node } from './node.ts'
import type { Findings, Place } from './problems.ts'
import { type ReadRule, readRule } from './rules.ts'
import { tellUnreachable } from './unreachable.ts'

export const FOLDER_KEYS = ['path', 'mode', 'default', 'rules', ...CAPABILITIES, 'may_raise']
/** Every rule is compared with every other. */
const MOST_RULES = 10_000

interface ReadFolder {
  readonly folder: FolderDefinition
  readonly pathAt: Place
}

export function readFolders(nodes: readonly Node[], findings: Findings): FolderDefinition[] {
  const folders = nodes.flatMap((node) => readFolder(node, findings) ?? [])
  const seen = new Map<string, Place>()
  for (const { folder, pathAt } of folders) {
    const key = collisionKey(folder.path)
    const earlier = seen.get(key)
    if (earlier === undefined) seen.set(key, pathAt)
    else
      findings.problem(pathAt, `path names the same folder as line ${earlier.line}; write one entry for both instead`)
  }
  return folders.map(({ folder }) => folder)
}

function readFolder(node: Node, findings: Findings): ReadFolder | undefined {
  const fields = fieldsOf(node, 'a folder', FOLDER_KEYS, findings)
  if (fields === undefined) return undefined
  fields.require('path', 'mode', 'default')
  const path = readPath(fields)
  const mode = fields.choice('mode', ['whitelist', 'blacklist'])
  const base = fields.choice('default', LEVELS)
  const rules = readRules(fields, mode, findings)
  const capabilities = CAPABILITIES.filter((capability) => fields.flag(capability, false))
  const mayRaise = fields.flag('may_raise', false)
  if (mode !== undefined && base !== undefined && fits(fields, mode, base)) tellUnreachable(rules, mode, base, findings)
  if (path === undefined) return undefined
  return {
    folder: {
      path,
      mode: mode ?? 'whitelist',
      default: base ?? 'NONE',
      rules: rules.map(({ rule }) => rule),
      capabilities,
      ...(mayRaise && { mayRaise }),
    },
    pathAt: fields.place('path'),
  }
}

function readPath(fields: Fields): string | undefined {
  const path = fields.text('path')
  const problem = path === undefined ? undefined : problemOfPath(path)
  if (problem !== undefined) fields.problem('path', problem)
  return problem === undefined ? path : undefined
}

function readRules(fields: Fields, mode: FolderDefinition['mode'] | undefined, findings: Findings): ReadRule[] {
  const nodes = fields.items('rules') ?? []
  if (nodes.length > MOST_RULES) fields.problem('rules', `there are more than ${MOST_RULES} rules; write fewer instead`)
  return nodes.slice(0, MOST_RULES).flatMap((node) => readRule(node, mode, findings) ?? [])
}

function fits(fields: Fields, mode: FolderDefinition['mode'], base: Level): boolean {
  if (mode === 'whitelist' && base !== 'NONE') {
    fields.problem(
      'default',
      'a whitelist shows only what its rules grant; write default: NONE instead, or mode: blacklist',
    )
    return false
  }
  if (mode === 'blacklist' && base === 'NONE') {
    fields.problem(
      'default',
      'a blacklist has something to take away; write a default above NONE instead, or mode: whitelist',
    )
    return false
  }
  return true
}
