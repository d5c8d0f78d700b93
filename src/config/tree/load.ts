/**
 * Loads a configuration tree: accounts.yaml, callers.yaml and policies/*.yaml of a directory.
 *
 * INVARIANT: whole or not at all. Every problem of every file is found before any is reported; what is returned has
 * no problem. Nothing but `TreeProblems` is thrown.
 */
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { chosenVault } from '../directories.ts'
import { readServerSettings, type ServerSettings } from '../environment.ts'
import { readGmailEndpoint } from '../gmail.ts'
import { readAccountsFile } from './accounts.ts'
import { readCallersFile } from './callers.ts'
import { parseYaml } from './document.ts'
import type { Node } from './node.ts'
import { policyFiles, type ReadPolicy, readPolicyFile } from './policies.ts'
import { Findings, wholeFile } from './problems.ts'
import { checkReferences, checkSecretStore } from './references.ts'
import { readSource } from './source.ts'
import type { Surroundings } from './surroundings.ts'
import type { Tree } from './tree.ts'

type Variables = Readonly<Record<string, string | undefined>>

export function loadTree(directory: string, env: Variables, dataDirectory: string): Tree {
  const findings = new Findings()
  const around = surroundingsOf(directory, env, dataDirectory, findings)
  const open = (file: string): Node | undefined => openFile(around.directory, file, findings)
  const accountsRoot = open('accounts.yaml')
  const callersRoot = open('callers.yaml')
  const accounts = accountsRoot && readAccountsFile(accountsRoot, around, findings)
  const callers = callersRoot && readCallersFile(callersRoot, findings)
  const policies = readPolicies(around.directory, open, findings)
  const files = { accounts: accounts?.accounts, callers, policies }
  checkReferences(files, findings)
  if (accounts !== undefined) checkSecretStore(accounts.secretStore, accounts.at, files, findings)
  findings.throwProblems()
  if (accounts === undefined || callers === undefined || policies === undefined)
    throw new Error('a file was lost silently')
  return {
    directory: around.directory,
    accounts: accounts.accounts.map(({ account }) => account),
    callers: callers.map(({ caller }) => caller),
    policies: new Map(policies.map(({ definition }) => [definition.name, definition])),
    // Nothing is kept in it where nobody wrote one.
    secretStore: accounts.secretStore ?? { backend: 'env_var' },
    audit: accounts.audit,
    walPath: accounts.walPath ?? join(dataDirectory, 'wal.db'),
    connections: accounts.connections,
    vault: chosenVault(env) ?? accounts.vault,
    attachments: accounts.attachments,
    warnings: findings.warnings,
  }
}

/** What granting access needs: accounts.yaml alone, since callers and policies may be written later. */
export function loadAccounts(
  directory: string,
  env: Variables,
  dataDirectory: string,
): Pick<Tree, 'accounts' | 'secretStore'> {
  const findings = new Findings()
  const around = surroundingsOf(directory, env, dataDirectory, findings)
  const root = openFile(around.directory, 'accounts.yaml', findings)
  const read = root && readAccountsFile(root, around, findings)
  const files = { accounts: read?.accounts, callers: undefined, policies: undefined }
  checkReferences(files, findings)
  if (read !== undefined) checkSecretStore(read.secretStore, read.at, files, findings)
  findings.throwProblems()
  return {
    accounts: read?.accounts.map(({ account }) => account) ?? [],
    secretStore: read?.secretStore ?? { backend: 'env_var' },
  }
}

function surroundingsOf(directory: string, env: Variables, dataDirectory: string, findings: Findings): Surroundings {
  const around: Surroundings = {
    directory: resolve(directory),
    home: env['HOME'] || env['USERPROFILE'] || undefined,
    dataDirectory,
    gmail: readGmailEndpoint(env),
    ca: serverSettings(env, findings)?.ca,
  }
  if (!isDirectory(around.directory)) findings.unparsed(wholeFile(directory), 'there is no such directory')
  findings.throwProblems()
  return around
}

/** Settings of servers that are variables in a tree too. */
function serverSettings(env: Variables, findings: Findings): ServerSettings | undefined {
  try {
    return readServerSettings(env)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    findings.problem(wholeFile('accounts.yaml'), error.message)
    return undefined
  }
}

/** Absent where one of them could not be read: then nobody knows which policies there are. */
function readPolicies(
  directory: string,
  open: (file: string) => Node | undefined,
  findings: Findings,
): readonly ReadPolicy[] | undefined {
  const roots = policyFiles(directory, findings)?.map(open)
  const policies = roots?.map((root) => root && readPolicyFile(root, findings))
  return policies?.every((policy) => policy !== undefined) ? policies : undefined
}

function openFile(directory: string, file: string, findings: Findings): Node | undefined {
  const place = wholeFile(file)
  const source = readSource(join(directory, file), adviceOnMissing(directory, file))
  if (source.ok) return parseYaml(source.text, place.file, IF_EMPTY[file] ?? 'write a policy, or remove it', findings)
  findings.unparsed({ ...place, line: source.line, column: Math.min(1, source.line) }, source.problem)
  return undefined
}

const IF_EMPTY: Readonly<Record<string, string>> = {
  'accounts.yaml': 'write accounts: and at least one account',
  'callers.yaml': 'write callers: and at least one caller',
}

/** Policies may end in .yml, so somebody may think that these may too. */
function adviceOnMissing(directory: string, file: string): string {
  const short = file.replace(/\.yaml$/, '.yml')
  if (short !== file && existsSync(join(directory, short))) return `rename ${short} to ${file}`
  return 'write one, or name the directory that holds it'
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
