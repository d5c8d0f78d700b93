/** Makes names in a folder last: a file that was made is only there for good once its folder is flushed. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Windows has no such call and needs none. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
