/**
 * Locks on files.
 *
 * Promises: one holder at a time, in this process and in all others that see the directory, containers included. The
 * operating system gives a lock back when its holder dies, however it dies, and keeps it while the holder is stopped. The
 * file is made where it is missing, stays empty, and is nobody else's to open.
 */
export interface FileLocks {
  /** Undefined while another has it. */
  take(path: string): FileLock | undefined
}

export interface FileLock {
  release(): void
}
