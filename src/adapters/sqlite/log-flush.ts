/**
 * Puts on disk what was committed, while the thread goes on.
 *
 * SQLite would flush its log itself, and everybody would stand still for the disk. So it only writes the log, and we flush it
 * before anybody hears that a commit is done. Until then another process may see the commit, and whoever builds on it flushes it
 * too: it is one file.
 *
 * INVARIANT: once it resolves, whatever was committed before it was called is on disk, the log's own name included.
 */
import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

export class LogFlush {
  readonly #path: string
  #log: number | undefined

  /** `database` is a file in WAL mode that this process holds open; as long as it does, its log stays the same file. */
  constructor(database: string) {
    this.#path = `${database}-wal`
  }

  flush(): Promise<void> {
    this.#log ??= openNamed(this.#path)
    const log = this.#log
    return new Promise((resolve, reject) => {
      fdatasync(log, (error) => (error === null ? resolve() : reject(error)))
    })
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log)
    this.#log = undefined
  }
}

/** Its name is on disk too. Windows has no such call and needs none. */
function openNamed(path: string): number {
  const log = openSync(path, 'r+')
  if (process.platform === 'win32') return log
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
  return log
}
