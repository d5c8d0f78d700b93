/** What lies in an attachment directory that is ours, for the doctor. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { OURS } from './room.ts'

export interface SavedAttachments {
  readonly files: number
  readonly bytes: number
  /** When the oldest was saved, in milliseconds since 1970. */
  readonly oldest: number | undefined
}

/** Undefined where there is no such directory, or none that may be looked into. */
export function savedAttachments(directory: string): SavedAttachments | undefined {
  try {
    const found = readdirSync(directory)
      .filter((name) => OURS.test(name))
      .flatMap((name) => lstatSync(join(directory, name), { throwIfNoEntry: false }) ?? [])
      .filter((facts) => facts.isFile())
    const oldest = Math.min(...found.map(({ mtimeMs }) => mtimeMs))
    return {
      files: found.length,
      bytes: found.reduce((sum, { size }) => sum + size, 0),
      oldest: found.length === 0 ? undefined : oldest,
    }
  } catch {
    return undefined
  }
}
