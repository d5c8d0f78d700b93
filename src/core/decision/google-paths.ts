/**
 * A policy that names Gmail's own folders in English, for accounts whose folders have names in another language.
 *
 * INVARIANT: a folder has one definition, by whichever of its names it is asked for. A definition by the account's own name wins over
 * one by the English name, and either wins over a pattern. Where the account's folders could not be listed, none is judged.
 */
import { Failure } from '../failure.ts'
import { type GoogleFolders, isGoogleName } from '../google-folders.ts'
import type { FolderPolicy } from '../policy/folder.ts'
import { isPattern, type Policy } from '../policy/policy.ts'

/** Whether the account's folders must be known before any of them can be judged. */
export function namesGoogleFolders(policy: Policy, account: string): boolean {
  return policy.folders(account).some(({ path }) => isGoogleName(path))
}

/** `known` holds the folders of each account that matters, or why they could not be listed. */
export function withGoogleFolders(policy: Policy, known: ReadonlyMap<string, GoogleFolders | Failure>): Policy {
  return {
    ...policy,
    folder: (account, path) => {
      const folders = known.get(account)
      if (folders instanceof Failure) throw folders
      const own = policy.folder(account, path)
      if (folders === undefined || isExact(own)) return own
      const english = folders.englishFor(path).map((name) => policy.folder(account, name))
      return english.find(isExact) ?? own
    },
  }
}

function isExact({ named, path }: FolderPolicy): boolean {
  return named && !isPattern(path)
}
