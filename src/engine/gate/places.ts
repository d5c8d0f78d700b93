/**
 * Accounts by their address and folders by what they are for, as people name them.
 *
 * INVARIANT: only accounts and folders that the caller may know of are ever found or told. What a name stands for is
 * settled before anything is judged, so that what is judged is what is done.
 */
import type { Action, Destination } from '../../core/action.ts'
import { mapPlaces, UNCHANGED } from '../../core/decision/action-places.ts'
import { Failure } from '../../core/failure.ts'
import { pathOf } from '../../core/mailbox-path.ts'
import { withRoles } from '../../core/mailbox-roles.ts'
import type { Mailbox } from '../../core/message.ts'
import type { Policy } from '../../core/policy/policy.ts'
import type { AccountBook } from '../accounts/accounts.ts'
import { located } from './native-refs.ts'

/** By special use, under the names that people know them by. */
const ROLES: Readonly<Record<string, string>> = {
  sent: 'sent',
  drafts: 'drafts',
  trash: 'trash',
  spam: 'junk',
  junk: 'junk',
  starred: 'flagged',
  archive: 'archive',
}

/** The action with the ids of its accounts; one that is unknown stays as it was written. */
export function withAccountIds<A extends Action>(
  action: A,
  book: AccountBook,
  policy: Policy,
  sole = false,
): Promise<A> {
  const idOf = (named: string): string =>
    accountNamed(named, book, policy) ?? (sole && named === '' ? soleAccount(book, policy) : undefined) ?? named
  // The id of a message names its account already.
  return mapPlaces(action, {
    ...UNCHANGED,
    account: async (named) => idOf(named),
    folder: async (folder) => ({ ...folder, account: idOf(folder.account) }),
    target: async (folder) => ({ ...folder, account: idOf(folder.account) }),
  })
}

/** The only one that could be meant: of those that can send, where there are any. */
function soleAccount(book: AccountBook, policy: Policy): string | undefined {
  const known = book.list().filter(({ id }) => policy.sees(id))
  const senders = known.filter(({ sender }) => sender !== undefined)
  return onlyOne(senders.length > 0 ? senders : known)?.id
}

/** The action with its folders under the names that their server knows, and its messages by folder and uid. */
export async function withMailboxes<A extends Action>(
  action: A,
  book: AccountBook,
  policy: Policy,
  signal: AbortSignal,
): Promise<A> {
  let about = ''
  const known = (id: string): string => {
    mustBeKnown(id, book, policy)
    about = id
    return id
  }
  const folder = async <F extends Destination>(named: F): Promise<F> => {
    const account = known(named.account)
    return { ...named, mailbox: await mailboxNamed(account, named.mailbox, book, policy, signal) }
  }
  const settled = await mapPlaces(action, {
    account: async (id) => known(id),
    folder,
    target: folder,
    message: (ref) => located(ref, about, book, signal),
  })
  if ('within' in settled && settled.within !== undefined && settled.within !== settled.message.account) {
    throw new Failure('not_found', 'there is no such message in that account', { stage: 'message' })
  }
  return settled
}

/** Undefined where none is called that, or several are. */
function accountNamed(named: string, book: AccountBook, policy: Policy): string | undefined {
  const known = book.list().filter(({ id }) => policy.sees(id))
  const wanted = named.trim().toLowerCase()
  const exact = known.find(({ id }) => id === named)
  if (exact !== undefined) return exact.id
  const [only, ...others] = known.filter(
    ({ id, address }) => id.toLowerCase() === wanted || address?.toLowerCase() === wanted,
  )
  return others.length > 0 ? undefined : only?.id
}

function mustBeKnown(id: string, book: AccountBook, policy: Policy): void {
  const known = book.list().filter((account) => policy.sees(account.id))
  if (known.some((account) => account.id === id)) return
  const names = known.map(({ id: own, address = own }) => address)
  const wanted = id === '' ? 'account is required' : 'there is no such account'
  const there = names.length === 0 ? 'you may use none' : `you may use: ${names.join(', ')}`
  throw new Failure('not_found', `${wanted}; ${there}`, { stage: 'account' })
}

async function mailboxNamed(
  account: string,
  place: string,
  book: AccountBook,
  policy: Policy,
  signal: AbortSignal,
): Promise<string> {
  const wanted = place.trim().toLowerCase()
  if (wanted === 'inbox') return 'INBOX'
  const listed = withRoles(await book.get(account).source.mailboxes(signal))
  const known = listed.filter(
    ({ name, delimiter, selectable }) => selectable && policy.folder(account, pathOf(name, delimiter)).named,
  )
  const role = ROLES[wanted]
  const found =
    known.find((mailbox) => pathIn(mailbox) === place) ??
    known.find((mailbox) => role !== undefined && mailbox.role === role) ??
    onlyOne(known.filter((mailbox) => pathIn(mailbox).toLowerCase() === wanted))
  if (found !== undefined) return found.name
  const there = known.map(pathIn).join(', ') || 'none that you may see'
  const wanting =
    role === undefined ? 'there is no such folder' : `the account has no ${wanted} folder that you may use`
  throw new Failure('not_found', `${wanting}; there are: ${there}`, { stage: 'select' })
}

function pathIn({ name, delimiter }: Mailbox): string {
  return pathOf(name, delimiter)
}

function onlyOne<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined
}
