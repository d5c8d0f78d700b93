/**
 * Which version a mirror's file is of, read from its first bytes, before anything else of it is touched.
 *
 * INVARIANT: loads no SQLite, and is asked only before this process has the file open: POSIX drops a process's locks when
 * any descriptor of a file is closed.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import type { Failure } from '../../../core/failure.ts'
import { newerSchema } from '../failures.ts'
import { MIRROR_FILE } from './schema.ts'

/** The version this code knows. */
export const SCHEMA_VERSION = MIRROR_FILE.scripts.length

const HEADER_BYTES = 100
const USER_VERSION_AT = 60
const APPLICATION_ID_AT = 68

/** Why the file cannot be served, where a newer Postern made it. What else may be wrong is said when it is asked. */
export function newerMirror(path: string): Failure | undefined {
  const header = headerOf(path)
  if (header === undefined || header.getUint32(APPLICATION_ID_AT) !== MIRROR_FILE.applicationId) return undefined
  const version = header.getUint32(USER_VERSION_AT)
  return version > SCHEMA_VERSION ? newerSchema(version, SCHEMA_VERSION) : undefined
}

function headerOf(path: string): DataView | undefined {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = new Uint8Array(HEADER_BYTES)
      return readSync(file, bytes) === HEADER_BYTES ? new DataView(bytes.buffer) : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    // No file, or none that can be read.
    return undefined
  }
}
