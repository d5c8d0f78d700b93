/** Gmail's own folders of an account, whose names follow its language. */

import { namesGoogleFolders, withGoogleFolders } from '../../core/decision/google-paths.ts'
import { GoogleFolders, isGoogleName } from '../../core/google-folders.ts'
import type { FolderPolicy } from '../../core/policy/folder.ts'
import type { Policy } from '../../core/policy/policy.ts'
import type { Account } from './accounts.ts'

type Listed = Pick<Account, 'id' | 'source' | 'google'>

export async function googleFoldersOf({ source, google }: Listed, signal: AbortSignal): Promise<GoogleFolders> {
  return new GoogleFolders(await source.mailboxes(signal), google !== undefined)
}

/** One folder under the account's own path for it, as a caller's policy judges it. */
export async function judgedFolder(
  account: Listed,
  path: string,
  policy: Policy,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly folder: FolderPolicy }> {
  const { id } = account
  if (!isGoogleName(path) && !namesGoogleFolders(policy, id)) return { path, folder: policy.folder(id, path) }
  const folders = await googleFoldersOf(account, signal)
  const own = folders.named(path)
  return { path: own, folder: withGoogleFolders(policy, new Map([[id, folders]])).folder(id, own) }
}
