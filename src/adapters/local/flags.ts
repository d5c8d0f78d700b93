/**
 * Flags as they are stored: names parted by spaces.
 *
 * INVARIANT: no flag stands twice, whatever its case; system flags are written as RFC 3501 writes them.
 */
import { Failure } from '../../core/failure.ts'

const SYSTEM = new Map(
  ['\\Seen', '\\Answered', '\\Flagged', '\\Draft', '\\Deleted'].map((flag) => [flag.toLowerCase(), flag]),
)
// RFC 3501 atom characters: printable ASCII but for what has a meaning of its own in the protocol.
const KEYWORD = /^[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]{1,255}$/
const MAX_FLAGS = 200

export function readFlags(stored: string): string[] {
  return stored === '' ? [] : stored.split(' ')
}

export function writeFlags(flags: readonly string[]): string {
  return addFlags([], flags).join(' ')
}

export function addFlags(present: readonly string[], added: readonly string[]): string[] {
  const byName = new Map(present.map((flag) => [flag.toLowerCase(), flag]))
  for (const flag of added) {
    const known = properFlag(flag)
    if (!byName.has(known.toLowerCase())) byName.set(known.toLowerCase(), known)
  }
  if (byName.size > MAX_FLAGS) throw new Failure('invalid_input', `a message takes at most ${MAX_FLAGS} flags`)
  return [...byName.values()]
}

export function removeFlags(present: readonly string[], removed: readonly string[]): string[] {
  const gone = new Set(removed.map((flag) => properFlag(flag).toLowerCase()))
  return present.filter((flag) => !gone.has(flag.toLowerCase()))
}

export function hasFlag(flags: readonly string[], wanted: string): boolean {
  return flags.some((flag) => flag.toLowerCase() === wanted.toLowerCase())
}

function properFlag(flag: string): string {
  const system = SYSTEM.get(flag.toLowerCase())
  if (system !== undefined) return system
  if (KEYWORD.test(flag)) return flag
  throw new Failure(
    'invalid_input',
    'a flag must be \\Seen, \\Answered, \\Flagged, \\Draft, \\Deleted or a keyword of atom characters',
  )
}
