/** Uids that a server says are gone (RFC 7162, 3.2.10): `* VANISHED (EARLIER) 1:4,7`. */
import type { Exchange } from '../line/dialogue.ts'
import { rangesIn } from '../sequence-set.ts'
import { latin1Of } from '../wire/value.ts'

/** A server that has forgotten names every uid that is not in use: beyond so many, another way is shorter. */
const MOST = 200_000

/** Those below a uid; undefined where they are too many to be named. */
export function vanishedIn(data: Exchange['data'], below: number): readonly number[] | undefined {
  const uids = new Set<number>()
  for (const response of data) {
    // Without the mark it is of this moment, and may be of the mailbox that was open before.
    if (response.kind !== 'data' || response.name !== 'VANISHED' || response.values[0]?.kind !== 'list') continue
    for (const [from, to] of rangesIn(latin1Of(response.values.at(-1)) ?? '')) {
      if (Math.min(to, below - 1) - from + uids.size > MOST) return undefined
      for (let uid = from; uid <= to && uid < below; uid += 1) uids.add(uid)
    }
  }
  return [...uids]
}
