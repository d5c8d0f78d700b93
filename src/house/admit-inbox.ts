/**
 * Whether one more process may serve the `inbox` tool set over stdio.
 *
 * INVARIANT: asked before any mirror is opened. Whoever is refused is told why and what to do, and holds no place.
 */
import { join } from 'node:path'
import { fileLocks } from '../adapters/lock/file-locks.ts'
import { newerMirror } from '../adapters/mirror/file/file-version.ts'
import { mirrorPath } from '../adapters/mirror/file/path.ts'
import { takeSlot } from '../adapters/slots/slots.ts'
import type { FileLock } from '../ports/file-locks.ts'
import type { Log } from '../ports/log.ts'
import type { CannotStart } from '../surfaces/cli/serve.ts'

/** Serving processes of one data directory. */
const USUAL_MOST = 5

const MAX_CONNECTIONS = -32000
const SCHEMA = -32003

export interface MirroredAccount {
  readonly id: string
  readonly mirror: 'off' | 'headers' | 'full'
}

/** A mirror that only a newer Postern can read. */
export function newerMirrorOf(accounts: readonly MirroredAccount[], directory: string): CannotStart | undefined {
  for (const { id, mirror } of accounts) {
    const failure = mirror === 'off' ? undefined : newerMirror(mirrorPath(join(directory, 'mirror'), id))
    if (failure === undefined) continue
    const sentence = `account "${id}": ${failure.message}`
    return { kind: 'cannot_start', sentence, story: sentence, code: SCHEMA, reason: 'schema' }
  }
  return undefined
}

export function placeIn(directory: string, most: number = USUAL_MOST, log: Log): FileLock | CannotStart {
  try {
    return takeSlot({ directory, most, locks: fileLocks }) ?? full(most)
  } catch (error) {
    // A directory in which nothing can be held is told of by the first call; until then nobody is in the way.
    log.warn({ err: error }, 'it cannot be told how many processes serve this data directory')
    return { release: () => undefined }
  }
}

function full(most: number): CannotStart {
  const sentence = 'Max connections reached'
  const already = most === 1 ? '1 process already serves' : `${most} processes already serve`
  const story = `${sentence}: ${already} the inbox tool set from this data directory; end one of them, or raise limits.connections in accounts.yaml`
  return { kind: 'cannot_start', sentence, story, code: MAX_CONNECTIONS, reason: 'max_connections' }
}
