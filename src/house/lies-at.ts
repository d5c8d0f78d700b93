/** Whether anything lies at a path. */
import { statSync } from 'node:fs'

/** What may not be looked at counts as there: whoever then reads it hears why that cannot be. */
export function liesAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}
