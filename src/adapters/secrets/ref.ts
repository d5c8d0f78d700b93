/**
 * References to secrets, `secret://path/segments`, taken apart.
 *
 * INVARIANT: every segment is a plain name: joined to a directory the segments stay below it. Percent signs are nothing
 * special.
 */
import { badRef } from './failures.ts'

const PREFIX = 'secret://'
const LONGEST_SEGMENT_BYTES = 200
const MOST_SEGMENTS = 32
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const FORBIDDEN = /[\\\u0000-\u001f\u007f]/

export function segmentsOf(ref: string): readonly string[] {
  if (!ref.startsWith(PREFIX)) throw badRef('does not begin with secret://')
  const segments = ref.slice(PREFIX.length).split('/')
  if (segments.length > MOST_SEGMENTS) throw badRef(`has more than ${MOST_SEGMENTS} segments`)
  for (const segment of segments) refuseUnsafe(segment)
  return segments
}

function refuseUnsafe(segment: string): void {
  if (segment === '') throw badRef('has an empty segment')
  if (segment === '.' || segment === '..') throw badRef('has a segment of dots alone')
  if (FORBIDDEN.test(segment)) throw badRef('has a backslash or a control character in it')
  if (!segment.isWellFormed()) throw badRef('has half a character in it')
  if (Buffer.byteLength(segment) > LONGEST_SEGMENT_BYTES) {
    throw badRef(`has a segment of more than ${LONGEST_SEGMENT_BYTES} bytes`)
  }
}
