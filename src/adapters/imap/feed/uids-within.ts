/**
 * Which uids of a range there are.
 *
 * INVARIANT: each once, from the largest to the smallest. A server that can name ranges (RFC 4731) is asked for those: a large
 * mailbox is then told of in a line and not in hundreds of kilobytes.
 */
import type { UidRange } from '../../../ports/mail-feed.ts'
import { protocolFailure } from '../failures.ts'
import { mustBeDone } from '../fetch.ts'
import type { Exchange } from '../line/dialogue.ts'
import type { Session } from '../line/session.ts'
import { mustBeAt, type RawMailboxAt } from '../place.ts'
import { rangesIn } from '../sequence-set.ts'
import { keyword, keywords, type Piece, uidSet } from '../wire/command.ts'
import { latin1Of } from '../wire/value.ts'

/** As many as an answer may name one by one; a server can claim them all in a few bytes. */
const MOST = 4_000_000

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
  mustBeDone('search', exchange.answers)
  return uidsListed(exchange.data, within)
}

export function listCommand({ capabilities }: Session, { from, to }: UidRange): readonly Piece[] {
  const ranges = capabilities.has('ESEARCH') ? [keyword('RETURN'), keywords('ALL')] : []
  return [...keywords('UID', 'SEARCH'), ...ranges, keyword('UID'), uidSet(`${from}:${to}`)]
}

/** In the answer to that. */
export function uidsListed(data: Exchange['data'], within: UidRange): readonly number[] {
  return descending(data.flatMap((response) => uidsIn(response, within)))
}

/** `5:9` is the last one too where there are fewer: so not all of them need be within. */
function uidsIn(response: Exchange['data'][number], { from, to }: UidRange): readonly number[] {
  if (response.kind === 'numbers') return response.numbers.filter((uid) => uid >= from && uid <= to)
  if (response.name !== 'ESEARCH') return []
  const all = response.values.findIndex((value) => value.kind === 'atom' && value.text.toUpperCase() === 'ALL')
  // Where none were found, none are named.
  if (all === -1) return []
  const uids: number[] = []
  for (const [first, last] of rangesIn(latin1Of(response.values[all + 1]) ?? '')) {
    const [start, end] = [Math.max(first, from), Math.min(last, to)]
    if (uids.length + end - start > MOST) throw protocolFailure('more messages than a mailbox can hold')
    for (let uid = start; uid <= end; uid += 1) uids.push(uid)
  }
  return uids
}

/** Servers name them in ascending order, most of them; one may name a message twice. */
function descending(uids: readonly number[]): readonly number[] {
  const isAscending = uids.every((uid, at) => at === 0 || uid > (uids[at - 1] ?? 0))
  return isAscending ? uids.toReversed() : [...new Set(uids)].sort((a, b) => b - a)
}
