/**
 * Which mirror is being filled at this moment, as far as a caller may know.
 *
 * INVARIANT: of an account that the caller does not see nothing is said; of a folder its name and its size only where the
 * policy lets every message of it be counted.
 */
import { namesGoogleFolders } from '../../core/decision/google-paths.ts'
import { atLeast } from '../../core/policy/level.ts'
import { isPattern, type Policy } from '../../core/policy/policy.ts'
import type { AccountBook, MirrorProgress } from './accounts.ts'

export interface Syncing {
  readonly folder?: { readonly name: string; readonly done: number; readonly total: number }
}

export function syncingFor(policy: Policy, accounts: AccountBook): Syncing | undefined {
  for (const { id, mirror } of accounts.list()) {
    const progress = policy.sees(id) ? mirror?.progress?.() : undefined
    if (progress !== undefined) return mayCount(policy, id, progress) ? { folder: named(progress) } : {}
  }
  return undefined
}

/** Whatever may part the levels of a name is not known here, so of a name with levels nothing is said. */
function mayCount(policy: Policy, account: string, { mailbox }: MirrorProgress): boolean {
  if (!policy.byFolder) return true
  const { named: isNamed, path, uniform } = policy.folder(account, mailbox)
  // Another definition may hold under an English name of the folder, which only the server could say.
  if (isPattern(path) && namesGoogleFolders(policy, account)) return false
  return /^[\p{L}\p{N} _-]+$/u.test(mailbox) && isNamed && uniform !== undefined && atLeast(uniform.level, 'COUNT')
}

function named({ mailbox, done, total }: MirrorProgress): Required<Syncing>['folder'] {
  return { name: mailbox, done, total }
}
