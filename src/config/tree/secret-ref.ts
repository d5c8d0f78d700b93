/** References to secrets, `secret://path/segments`. What stands in place of one is never quoted: it may be the secret. */
import type { Fields } from './fields.ts'

const MOST_SEGMENTS = 32
const LONGEST_SEGMENT_BYTES = 200

/** Absent where there is none or it is malformed; the latter has been told. */
export function readSecretRef(
  fields: Fields,
  key: string,
  example = 'secret://accounts/work/password',
): string | undefined {
  const ref = fields.text(key)
  if (ref === undefined || isSecretRef(ref)) return ref
  fields.problem(key, `${key} does not name a place in the secret store; write ${example} or the like instead`)
  return undefined
}

/** Every segment is a plain name: joined to a directory they stay below it. */
function isSecretRef(ref: string): boolean {
  const segments = /^secret:\/\/(.+)$/.exec(ref)?.[1]?.split('/') ?? []
  return segments.length > 0 && segments.length <= MOST_SEGMENTS && segments.every(isPlainName)
}

function isPlainName(segment: string): boolean {
  return !/^\.*$|\\/.test(segment) && Buffer.byteLength(segment) <= LONGEST_SEGMENT_BYTES
}
