/** Uid sets: `1:4,7,9:10`. */
import { protocolFailure } from './failures.ts'
import { uidNumberOf } from './wire/value.ts'

/** Servers need not take longer lines than 8192 bytes (RFC 7162, section 4). */
const MAX_SET = 7500
const MIN_SET = 1000

/** The uids as few short sets, in ascending order. Empty for no uids. `taken` is what else stands in the line. */
export function uidSets(uids: readonly number[], taken = 0): string[] {
  const most = Math.max(MAX_SET - taken, MIN_SET)
  const sets: string[] = []
  let current = ''
  for (const range of ranges(uids)) {
    if (current.length + range.length >= most) {
      sets.push(current)
      current = ''
    }
    current += current === '' ? range : `,${range}`
  }
  return current === '' ? sets : [...sets, current]
}

function ranges(uids: readonly number[]): string[] {
  const sorted = [...new Set(uids)].sort((a, b) => a - b)
  const found: string[] = []
  for (let start = 0; start < sorted.length; ) {
    let end = start
    while ((sorted[end + 1] ?? 0) === (sorted[end] ?? 0) + 1) end += 1
    found.push(end === start ? `${sorted[start]}` : `${sorted[start]}:${sorted[end]}`)
    start = end + 1
  }
  return found
}

/** As a server wrote it: in any order, and a range from either end. One at a time, since a line can name millions. */
export function* rangesIn(set: string): Generator<readonly [from: number, to: number], void, undefined> {
  for (let at = 0; at <= set.length; ) {
    const comma = set.indexOf(',', at)
    const end = comma === -1 ? set.length : comma
    yield rangeIn(set.slice(at, end))
    at = end + 1
  }
}

function rangeIn(range: string): readonly [from: number, to: number] {
  const [first, second = first, more] = range.split(':')
  const [from, to] = [uidNumberOf(first), uidNumberOf(second)]
  if (from === undefined || to === undefined || more !== undefined) throw protocolFailure('a set of uids that is none')
  return from <= to ? [from, to] : [to, from]
}
