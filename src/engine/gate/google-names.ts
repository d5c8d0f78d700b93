/**
 * Gmail's own folders by their English names, in a policy and in a call, on accounts in any language.
 *
 * INVARIANT: settled before anything is judged, so that a folder has the same judgement under each of its names. A server is asked
 * only where the policy or the call names such a folder.
 */
import type { Action, Destination } from '../../core/action.ts'
import { mapPlaces, UNCHANGED } from '../../core/decision/action-places.ts'
import { namesGoogleFolders, withGoogleFolders } from '../../core/decision/google-paths.ts'
import { Failure } from '../../core/failure.ts'
import { GoogleFolders, isGoogleName } from '../../core/google-folders.ts'
import type { Policy } from '../../core/policy/policy.ts'
import type { Account, AccountBook } from '../accounts/accounts.ts'
import { googleFoldersOf } from '../accounts/google-folders.ts'

export interface Named<A> {
  readonly action: A
  readonly policy: Policy
}

export async function withGoogleNames<A extends Action>(
  action: A,
  policy: Policy,
  book: AccountBook,
  signal: AbortSignal,
): Promise<Named<A>> {
  const concerned = await accountsConcerned(action, policy, book)
  if (concerned.length === 0) return { action, policy }
  const known = new Map(
    await Promise.all(concerned.map(async (account) => [account.id, await foldersOrFailure(account, signal)] as const)),
  )
  const renamed = async <P extends Destination>(place: P): Promise<P> => {
    const folders = known.get(place.account)
    return folders instanceof GoogleFolders ? { ...place, mailbox: folders.named(place.mailbox) } : place
  }
  const named = await mapPlaces(action, { ...UNCHANGED, folder: renamed, target: renamed, message: renamed })
  return { action: named, policy: withGoogleFolders(policy, known) }
}

/** Those whose folders the action names or looks at, where an English name is in the policy or in the action. */
async function accountsConcerned(action: Action, policy: Policy, book: AccountBook): Promise<readonly Account[]> {
  const meant = new Set<string>()
  const writtenInEnglish = new Set<string>()
  const note = async <P extends Destination>(place: P): Promise<P> => {
    meant.add(place.account)
    if (isGoogleName(place.mailbox)) writtenInEnglish.add(place.account)
    return place
  }
  const account = async (id: string): Promise<string> => {
    meant.add(id)
    return id
  }
  await mapPlaces(action, { account, folder: note, target: note, message: note })
  // Tells how many folders of every account are hidden, unless that is concealed.
  const looksAtAll = action.kind === 'describe_policy' && !policy.concealHidden
  return book
    .list()
    .filter(({ id }) => policy.sees(id) && (looksAtAll || meant.has(id)))
    .filter(({ id }) => writtenInEnglish.has(id) || namesGoogleFolders(policy, id))
}

/** A failure counts only once a folder is to be judged: what is refused before needs no server. */
async function foldersOrFailure(account: Account, signal: AbortSignal): Promise<GoogleFolders | Failure> {
  try {
    return await googleFoldersOf(account, signal)
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error
    return error
  }
}
