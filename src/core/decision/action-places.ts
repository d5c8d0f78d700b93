/**
 * Where each kind of action names accounts, folders and messages.
 *
 * INVARIANT: total. The compiler asks for every kind, and for every field of it that names a place or holds something that does. What
 * callers write becomes what servers know only through here, so that no field is left out.
 */
import type { Action, ActionKind, ActionOf, AnsweredThread, Destination, Letter } from '../action.ts'
import type { MessageRef } from '../message-id.ts'

/** What becomes of each place. Accounts and folders come before the messages of the same action. */
export interface PlaceMapper {
  account(id: string): Promise<string>
  folder<F extends Destination>(folder: F): Promise<F>
  /** A folder that mail goes to. */
  target(folder: Destination): Promise<Destination>
  message(message: MessageRef): Promise<MessageRef>
}

/** For those who map only some of them. */
export const UNCHANGED: PlaceMapper = {
  account: async (id) => id,
  folder: async (folder) => folder,
  target: async (folder) => folder,
  message: async (message) => message,
}

/** Something that names an account, whatever the field is called. */
type HoldsPlace<V> = V extends { readonly account: string }
  ? true
  : V extends Uint8Array
    ? never
    : V extends readonly (infer E)[]
      ? HoldsPlace<E>
      : V extends object
        ? HoldsPlace<V[keyof V]>
        : never

/** Those are plain texts. */
type PlaceName = 'account' | 'mailbox' | 'within'

type PlaceField<A> = {
  [F in keyof A]-?: F extends PlaceName ? F : true extends HoldsPlace<A[F]> ? F : never
}[keyof A]

/** Just the fields that name places, each mapped; none may be left out, also where the action may do without it. */
type Mapped<A> = { readonly [F in PlaceField<A>]: A[F] | undefined }

type MapPlaces<A> = (action: A, map: PlaceMapper) => Promise<Mapped<A>>

const PLACES: { readonly [K in ActionKind]: MapPlaces<ActionOf<K>> } = {
  list_accounts: nowhere,
  describe_policy: nowhere,
  identify_caller: nowhere,
  transaction_status: nowhere,
  verify_account: inAccount,
  list_mailboxes: inAccount,
  list_folders: inAccount,
  list_labels: inAccount,
  folder_stats: inFolder,
  search: inFolder,
  browse: inFolder,
  find_mail: async ({ account, mailbox }, map) =>
    mailbox === undefined ? { account: await map.account(account), mailbox } : await map.folder({ account, mailbox }),
  read_message: withinAccount,
  read_attachment: withinAccount,
  change_labels: withinAccount,
  read_raw: ofMessage,
  update_flags: ofMessage,
  mark_seen: ofMessage,
  tag_message: ofMessage,
  delete_message: ofMessage,
  copy_message: toFolder,
  move_message: toFolder,
  mark_many: async ({ from }, map) => ({ from: await map.folder(from) }),
  relocate_many: async ({ from, to }, map) => ({ from: await map.folder(from), to: await map.target(to) }),
  create_draft: inFolder,
  compose_draft: async ({ account, mailbox, letter, repliesTo }, map) => ({
    ...(await map.folder({ account, mailbox })),
    repliesTo: repliesTo && (await map.message(repliesTo)),
    letter: await letterOf(letter, map),
  }),
  send_mail: async ({ account, letter, answers }, map) => ({
    account: await map.account(account),
    answers: answers && (await answersOf(answers, map)),
    letter: await letterOf(letter, map),
  }),
}

/** The same action, with each of its places mapped. */
export async function mapPlaces<A extends Action>(action: A, map: PlaceMapper): Promise<A> {
  const mapped = await (PLACES[action.kind] as MapPlaces<Action>)(action, map)
  // What is absent stays absent.
  return { ...action, ...Object.fromEntries(Object.entries(mapped).filter(([, value]) => value !== undefined)) }
}

/** The accounts that an action names. */
export async function accountsIn(action: Action): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  const note = async <P extends Destination>(place: P): Promise<P> => {
    named.add(place.account)
    return place
  }
  const account = async (id: string): Promise<string> => {
    named.add(id)
    return id
  }
  await mapPlaces(action, { account, folder: note, target: note, message: note })
  return named
}

async function nowhere(): Promise<Record<never, never>> {
  return {}
}

async function inAccount({ account }: { readonly account: string }, map: PlaceMapper): Promise<{ account: string }> {
  return { account: await map.account(account) }
}

function inFolder({ account, mailbox }: Destination, map: PlaceMapper): Promise<Destination> {
  return map.folder({ account, mailbox })
}

type OfMessage = { readonly message: MessageRef }

async function ofMessage({ message }: OfMessage, map: PlaceMapper): Promise<OfMessage> {
  return { message: await map.message(message) }
}

type Within = OfMessage & { readonly within?: string }

async function withinAccount(
  { within, message }: Within,
  map: PlaceMapper,
): Promise<OfMessage & { readonly within: string | undefined }> {
  return { within: within === undefined ? undefined : await map.account(within), message: await map.message(message) }
}

type ToFolder = OfMessage & { readonly to: Destination }

async function toFolder({ message, to }: ToFolder, map: PlaceMapper): Promise<ToFolder> {
  return { message: await map.message(message), to: await map.target(to) }
}

async function answersOf(answers: AnsweredThread, map: PlaceMapper): Promise<AnsweredThread> {
  return { ...answers, message: await map.message(answers.message) }
}

async function letterOf(letter: Letter, map: PlaceMapper): Promise<Letter> {
  if (letter.attachments === undefined) return letter
  const attachments = await Promise.all(
    letter.attachments.map(async ({ message, part }) => ({ message: await map.message(message), part })),
  )
  return { ...letter, attachments }
}
