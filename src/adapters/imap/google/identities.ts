/**
 * Which message a uid is at Google, and its uid in All Mail.
 *
 * INVARIANT: a uid of All Mail is told only after the server has named that message's id for it in this very call. What
 * is remembered from before saves a search, never the look.
 */
import { Failure } from '../../../core/failure.ts'
import type { GoogleIdentity } from '../../../core/results.ts'
import { fetched, mustBeDone } from '../fetch.ts'
import type { Exchange } from '../line/dialogue.ts'
import { ANY_AGE, type Reuse, type Session } from '../line/session.ts'
import { justFound, mustBeAt, type RawMailboxAt } from '../place.ts'
import { uidSets } from '../sequence-set.ts'
import { keyword, keywords, type Piece, uidSet } from '../wire/command.ts'
import { latin1Of } from '../wire/value.ts'
import { GoogleFolders, LIST_ALL } from './folders.ts'
import { isMsgid, searchAny, word } from './pieces.ts'

/** Keeps a search's line far below what servers must take. */
const IDS_A_SEARCH = 50
const MOST_REMEMBERED = 20_000

/** What one account's connections have learned. */
export class GoogleMemory {
  folders: GoogleFolders | undefined
  readonly #uids = new Map<string, number>()

  uidOf(id: string): number | undefined {
    return this.#uids.get(id)
  }

  remember(id: string, uid: number): void {
    this.#uids.delete(id)
    this.#uids.set(id, uid)
    const [oldest] = this.#uids.keys()
    if (this.#uids.size > MOST_REMEMBERED && oldest !== undefined) this.#uids.delete(oldest)
  }
}

/** Two round trips where all are remembered, else three; one in All Mail, Trash and Spam. */
export async function identities(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  memory: GoogleMemory,
  signal: AbortSignal,
): Promise<readonly GoogleIdentity[]> {
  mustBeGoogle(session)
  if (uids.length === 0) return []
  const remembered = memory.folders !== undefined
  try {
    return await identify(session, at, uids, memory, signal)
  } catch (error) {
    // Where the account's language was changed, All Mail has another name by now.
    if (!remembered || !(error instanceof Failure) || error.code !== 'not_found') throw error
    memory.folders = undefined
    return identify(session, at, uids, memory, signal)
  }
}

async function identify(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  memory: GoogleMemory,
  signal: AbortSignal,
): Promise<readonly GoogleIdentity[]> {
  const ids = await lookHere(session, at, uids, memory, signal)
  const canonical = await allMailUids(session, at, ids, memory, signal)
  return uids.flatMap((uid) => {
    const gmMsgid = ids.get(uid)
    return gmMsgid === undefined ? [] : [{ uid, gmMsgid, allMailUid: canonical.get(gmMsgid) }]
  })
}

/** The ids of the messages by uid; which mailbox is which comes along with the first. */
async function lookHere(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  memory: GoogleMemory,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const reuse = { uids, notBefore: justFound(at) }
  const commands = [...fetchIds(uids), ...(memory.folders === undefined ? [LIST_ALL] : [])]
  const { selected, exchange } = await session.runIn(at.rawName, { command: 'EXAMINE', reuse }, commands, signal)
  mustBeAt(at, selected)
  mustBeDone('fetch', exchange.answers)
  memory.folders ??= new GoogleFolders(exchange)
  return idsIn(exchange)
}

async function allMailUids(
  session: Session,
  at: RawMailboxAt,
  ids: ReadonlyMap<number, string>,
  memory: GoogleMemory,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const role = memory.folders?.roleOf(at.rawName)
  const allMail = memory.folders?.allMail
  if (role === 'all') return new Map([...ids].map(([uid, id]) => [id, uid]))
  if (role === 'trash' || role === 'spam' || allMail === undefined) return new Map()
  const located = await locate(session, allMail, [...new Set(ids.values())], memory, signal)
  for (const [id, uid] of located) memory.remember(id, uid)
  return located
}

/** Looks where the messages were last seen, searches for the others, and then looks at what was found. */
async function locate(
  session: Session,
  allMail: string,
  ids: readonly string[],
  memory: GoogleMemory,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const located = new Map<string, number>()
  let looking = ids.flatMap((id) => memory.uidOf(id) ?? [])
  let searching = ids.filter((id) => memory.uidOf(id) === undefined)
  const searched = new Set(searching)
  // The first time the mailbox is opened anew; what else there is to ask follows at once.
  for (let reuse: Reuse | undefined; looking.length + searching.length > 0; reuse = { uids: [], notBefore: ANY_AGE }) {
    const opening = { command: 'EXAMINE', ...(reuse !== undefined && { reuse }) } as const
    const { exchange } = await session.runIn(allMail, opening, [...fetchIds(looking), ...searches(searching)], signal)
    mustBeDone('search', exchange.answers)
    for (const [uid, id] of idsIn(exchange)) located.set(id, uid)
    looking = foundUids(exchange)
    searching = ids.filter((id) => !located.has(id) && !searched.has(id))
    for (const id of searching) searched.add(id)
  }
  return located
}

function fetchIds(uids: readonly number[]): Piece[][] {
  return uidSets(uids).map((set) => [...keywords('UID', 'FETCH'), uidSet(set), [keyword('UID'), word('X-GM-MSGID')]])
}

function searches(ids: readonly string[]): Piece[][] {
  const groups = Array.from({ length: Math.ceil(ids.length / IDS_A_SEARCH) }, (_, index) =>
    ids.slice(index * IDS_A_SEARCH, (index + 1) * IDS_A_SEARCH),
  )
  return groups.map(searchAny)
}

export function idsIn(exchange: Exchange): ReadonlyMap<number, string> {
  const found = [...fetched(exchange)].map(([uid, items]) => [uid, latin1Of(items.get('X-GM-MSGID'))] as const)
  return new Map(found.flatMap(([uid, id]) => (isMsgid(id) ? [[uid, id] as const] : [])))
}

export function foundUids({ data }: Exchange): number[] {
  const lists = data.flatMap((response) => (response.kind === 'numbers' ? response.numbers : []))
  return [...new Set(lists)].filter((uid) => uid > 0)
}

export function mustBeGoogle({ capabilities }: Session): void {
  if (capabilities.has('X-GM-EXT-1')) return
  throw new Failure('unsupported', 'the mail server is not one of Google’s; set the provider of the account to imap')
}
