/**
 * The few file operations that the log's promises rest on, in one place so that tests can count them and let them fail.
 * All of them run on the thread pool: a slow disk never stops the event loop.
 */
import { close, constants, fdatasync, fsync, ftruncate, open, write } from 'node:fs'

export interface Disk {
  /**
   * The flag with which a file's writes return only when they are on disk; 0 where `datasync` has to follow. It saves every
   * record one trip through the thread pool. Linux only: macOS has the flag, but flushes its disks with `datasync` alone.
   */
  readonly flushingFlag: number
  open(path: string, flags: number, mode: number): Promise<number>
  /** Writes some of the bytes, at least one, and says how many. */
  write(fd: number, bytes: Uint8Array, position: number): Promise<number>
  datasync(fd: number): Promise<void>
  /** For directories, whose entries are not data. */
  sync(fd: number): Promise<void>
  truncate(fd: number, size: number): Promise<void>
  close(fd: number): Promise<void>
}

export const systemDisk: Disk = {
  flushingFlag: process.platform === 'linux' ? constants.O_DSYNC : 0,
  open: (path, flags, mode) => settle((done) => open(path, flags, mode, done)),
  write: (fd, bytes, position) => settle((done) => write(fd, bytes, 0, bytes.length, position, done)),
  datasync: (fd) => settle((done) => fdatasync(fd, done)),
  sync: (fd) => settle((done) => fsync(fd, done)),
  truncate: (fd, size) => settle((done) => ftruncate(fd, size, done)),
  close: (fd) => settle((done) => close(fd, done)),
}

/** A write may be cut short by a full disk or a signal; the rest then tells why. */
export async function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += await disk.write(fd, bytes.subarray(done), position + done)
}

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void

function settle<T>(start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))))
}
