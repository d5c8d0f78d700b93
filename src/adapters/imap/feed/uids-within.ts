/**
 * Which uids of a range there are.
 *
 * INVARIANT: each once, from the largest to the smallest. A server that can name ranges (RFC 4731) is asked for those: a large
 * mailbox is then told of in a line and not in hundreds of kilobytes. Where it does not name them clearly, it is asked for
 * them one by one: what it did not tell would count as not there.
 */
import type { UidRange } from '../../../ports/mail-feed.ts'
import { protocolFailure, refused } from '../failures.ts'
import type { Exchange } from '../line/dialogue.ts'
import type { Session } from '../line/session.ts'
import { mustBeAt, type RawMailboxAt } from '../place.ts'
import { rangesIn } from '../sequence-set.ts'
import { keyword, keywords, type Piece, uidSet } from '../wire/command.ts'
import { type DataResponse, latin1Of, type Value } from '../wire/value.ts'

/** As many as answers may name one by one; a server can claim them all in a few bytes. */
const MOST = 4_000_000

/** What tells how a server is to be asked. */
export type Asked = Pick<Session, 'capabilities' | 'ranges'>

/** Opens the mailbox anew. */
export async function uidsWithin(
  session: Session,
  at: RawMailboxAt,
  within: UidRange,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const command = listCommand(session, within)
  const { selected, exchange } = await session.runIn(at.rawName, { command: 'EXAMINE' }, [command], signal)
  mustBeAt(at, selected)
  return uidsListed(session, exchange, within) ?? uidsWithin(session, at, within, signal)
}

export function listCommand(session: Asked, { from, to }: UidRange): readonly Piece[] {
  const ranges = namesRanges(session) ? [keyword('RETURN'), keywords('ALL')] : []
  return [...keywords('UID', 'SEARCH'), ...ranges, keyword('UID'), uidSet(`${from}:${to}`)]
}

/** In the last answer, which is the one to that. Undefined where it must be asked again, which is then done otherwise. */
export function uidsListed(
  session: Asked,
  { answers, data }: Pick<Exchange, 'answers' | 'data'>,
  within: UidRange,
): readonly number[] | undefined {
  const answer = answers.at(-1)
  if (namesRanges(session)) {
    session.ranges = answer?.status === 'OK' && areClear(data)
    if (!session.ranges) return undefined
  }
  if (answer?.status !== 'OK') throw answer === undefined ? protocolFailure('no answer') : refused('search', answer)
  return descending(uidsIn(data, within))
}

function namesRanges({ capabilities, ranges }: Asked): boolean {
  return capabilities.has('ESEARCH') && ranges !== false
}

function areClear(data: Exchange['data']): boolean {
  const told = data.filter((response) => response.kind === 'numbers' || response.name === 'ESEARCH')
  return told.length > 0 && told.every(isClear)
}

/** Without `UID` nobody knows whether uids are meant; and where there are some, they are named. */
function isClear(response: Exchange['data'][number]): boolean {
  if (response.kind === 'numbers') return true
  const { values } = response
  const areNone = values.every((value) => !(Number(latin1Of(value)) > 0))
  return wordAt(values, 'UID') !== -1 && (areNone || wordAt(values, 'ALL') !== -1)
}

/** `5:9` is the last one too where there are fewer: so not all of them need be within. */
function uidsIn(data: Exchange['data'], within: UidRange): number[] {
  const uids: number[] = []
  for (const response of data) {
    if (response.kind === 'numbers') for (const uid of response.numbers) add(uids, uid, uid, within)
    else for (const [first, last] of rangesOf(response)) add(uids, first, last, within)
  }
  return uids
}

function add(uids: number[], first: number, last: number, { from, to }: UidRange): void {
  const [start, end] = [Math.max(first, from), Math.min(last, to)]
  if (uids.length + end - start >= MOST) throw protocolFailure('more messages than a mailbox can hold')
  for (let uid = start; uid <= end; uid += 1) uids.push(uid)
}

/** Where none were found, none are named. */
function rangesOf({ name, values }: DataResponse): ReturnType<typeof rangesIn> | readonly [] {
  const all = name === 'ESEARCH' ? wordAt(values, 'ALL') : -1
  return all === -1 ? [] : rangesIn(latin1Of(values[all + 1]) ?? '')
}

function wordAt(values: readonly Value[], word: string): number {
  return values.findIndex((value) => value.kind === 'atom' && value.text.toUpperCase() === word)
}

/** A server may name them in any order, and one of them twice. */
function descending(uids: readonly number[]): readonly number[] {
  const sorted = Uint32Array.from(uids).sort().reverse()
  return Array.from(sorted.filter((uid, at) => uid !== sorted[at - 1]))
}
