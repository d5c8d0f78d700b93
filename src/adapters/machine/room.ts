/** How much room a directory's disk has left. */
import { statfs } from 'node:fs/promises'
import { nearestAbove } from './places.ts'

/** Bytes for this user; undefined where the system does not tell. */
export async function roomFor(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(nearestAbove(path))
    return bavail * bsize
  } catch {
    return undefined
  }
}
