/**
 * What one caller may see and do. A policy is asked, never told: it holds no state and does no I/O.
 *
 * INVARIANT: what a policy does not name is hidden. A path matches exactly, INBOX in any letter case, also above other
 * folders; of several paths that match, the longest wins.
 */

import { CAPABILITIES, type Capability, compileFolder, type FolderDefinition, type FolderPolicy } from './folder.ts'
import { ASK_ALWAYS, SENDING_FORBIDDEN, type SendDefinition, type SendRules, sendRules } from './sending.ts'

export interface Policy {
  readonly name: string
  /** Hidden mail is as if it were not there: no counts of it, and no search that could find it. */
  readonly concealHidden: boolean
  /** What an operator would do to open a closed capability; shown to the caller. */
  readonly howToAllow: string
  /** Whether folders are told apart: then a name has to be turned into a path before it can be judged. */
  readonly byFolder: boolean
  /** What may leave, and who has to be asked. */
  readonly send: SendRules
  sees(account: string): boolean
  /** `path` has `/` between its levels. */
  folder(account: string, path: string): FolderPolicy
  /** The folders that are named for an account, as they are written. */
  folders(account: string): readonly FolderPolicy[]
}

export interface PolicyDefinition {
  readonly name: string
  readonly concealHidden: boolean
  readonly accounts: ReadonlyMap<string, readonly FolderDefinition[]>
  /** Where nothing is said, a person is asked about everything. */
  readonly send?: SendDefinition
}

const HIDDEN: FolderPolicy = {
  ...compileFolder({ path: '', mode: 'whitelist', default: 'NONE', rules: [], capabilities: [] }),
  named: false,
}

/**
 * The owner's own policy, for accounts given by environment: everything visible, writes only behind their gate. Approval files
 * written by hand count unless `requireDigest` is set (`POSTERN_REQUIRE_DIGEST`).
 */
export function ownerPolicy(writes: boolean, requireDigest = false): Policy {
  const capabilities: readonly Capability[] = writes ? CAPABILITIES : []
  const everywhere = compileFolder({ path: '**', mode: 'blacklist', default: 'FULL', rules: [], capabilities })
  return {
    name: 'owner',
    concealHidden: false,
    howToAllow: 'set MAIL_IMAP_WRITE_ENABLED=true and restart to allow changes',
    byFolder: false,
    send: { ...(writes ? ASK_ALWAYS : SENDING_FORBIDDEN), requireDigest },
    sees: () => true,
    folder: () => everywhere,
    folders: () => [everywhere],
  }
}

/** For a caller that is no longer known. */
export const nothingAllowed: Policy = {
  ...policyFrom({ name: 'nothing', concealHidden: true, accounts: new Map() }),
  send: SENDING_FORBIDDEN,
}

export function policyFrom({ name, concealHidden, accounts, send }: PolicyDefinition): Policy {
  const compiled = new Map([...accounts].map(([id, folders]) => [id, folders.map(compileFolder)]))
  const finders = new Map([...compiled].map(([id, folders]) => [id, finderOf(folders)]))
  return {
    name,
    concealHidden,
    howToAllow: 'whoever runs this server would have to allow it in its configuration',
    byFolder: true,
    send: send === undefined ? ASK_ALWAYS : sendRules(send),
    sees: (account) => compiled.has(account),
    folder: (account, path) => finders.get(account)?.(path) ?? HIDDEN,
    folders: (account) => compiled.get(account) ?? [],
  }
}

/**
 * INBOX has one spelling; everything else is told apart letter by letter, whichever way an accent is written. Servers that
 * hold folders below INBOX open them under any spelling of it.
 */
export function normalPath(path: string): string {
  return path.replace(/^inbox(?=\/|$)/i, 'INBOX').normalize('NFC')
}

/** Whether the path stands for more than one folder. */
export function isPattern(path: string): boolean {
  return /(^|\/)\*\*?$/.test(path)
}

type Finder = (path: string) => FolderPolicy | undefined

function finderOf(folders: readonly FolderPolicy[]): Finder {
  const exact = new Map(
    folders.filter(({ path }) => !isPattern(path)).map((folder) => [normalPath(folder.path), folder]),
  )
  const patterns = folders
    .filter(({ path }) => isPattern(path))
    .map((folder) => ({ folder, pattern: normalPath(folder.path) }))
    .toSorted((a, b) => longerFirst(a.pattern, b.pattern))
  return (path) => {
    // Stands in a path for a slash that parts nothing: nobody could have meant that folder, not by a pattern either.
    if (path.includes('\u0000')) return undefined
    const wanted = normalPath(path)
    return exact.get(wanted) ?? patterns.find(({ pattern }) => matches(pattern, wanted))?.folder
  }
}

/** Of two that match, the one with the longer stem says more; for the same stem, children before all below. */
function longerFirst(a: string, b: string): number {
  return stem(b).length - stem(a).length || a.length - b.length
}

function stem(pattern: string): string {
  return pattern.replace(/\*\*?$/, '')
}

function matches(pattern: string, path: string): boolean {
  const above = stem(pattern)
  if (!path.startsWith(above) || path.length === above.length) return false
  return pattern.endsWith('**') || !path.slice(above.length).includes('/')
}
