/**
 * Takes temporary attachments away: each an hour after it was saved, all of a process when that ends, and those of a process that
 * was killed as soon as another one looks.
 *
 * INVARIANT: the first 8 digits of a file's name are its owner's token, and a lock beside it says that the owner lives. A file of a
 * living owner stays for its time. Only plain files that are named as ours are ever removed.
 */
import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileLock, FileLocks } from '../../ports/file-locks.ts'
import { codeOf } from './failures.ts'
import { OURS } from './room.ts'

export interface LifetimeOptions {
  readonly ms: number
  readonly locks: FileLocks
}

const OWNER = /^\.owner-([0-9a-f]{8})$/
const TOKEN_DIGITS = 8

export class Lifetime {
  readonly token = randomBytes(TOKEN_DIGITS / 2).toString('hex')
  readonly #folder: string
  readonly #options: LifetimeOptions
  #lock: FileLock | undefined

  constructor(folder: string, options: LifetimeOptions) {
    this.#folder = folder
    this.#options = options
  }

  /** Before the first file. */
  async begin(): Promise<void> {
    if (this.#lock !== undefined) return
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    this.#lock = this.#options.locks.take(this.#pathOf(this.token))
  }

  /** Removes what is over its time, and what dead processes have left. */
  async sweep(now = Date.now()): Promise<void> {
    const names = await this.#names()
    for (const owner of names.flatMap((name) => OWNER.exec(name)?.[1] ?? [])) {
      if (owner !== this.token) await this.#removeIfDead(owner, names)
    }
    for (const name of names.filter((one) => OURS.test(one))) {
      const path = join(this.#folder, name)
      const facts = await lstat(path).catch(unlessGone)
      if (facts?.isFile() === true && facts.mtimeMs + this.#options.ms <= now) await unlink(path).catch(unlessGone)
    }
  }

  /** Removes what this process has saved. */
  async end(): Promise<void> {
    if (this.#lock === undefined) return
    await this.#removeOf(this.token, await this.#names())
    this.#lock.release()
    this.#lock = undefined
  }

  async #removeIfDead(owner: string, names: readonly string[]): Promise<void> {
    const lock = this.#taken(owner)
    if (lock === undefined) return
    await this.#removeOf(owner, names)
    lock.release()
  }

  /** Undefined while the owner lives; a lock that is damaged tells nothing, and its files have their hour. */
  #taken(owner: string): FileLock | undefined {
    try {
      return this.#options.locks.take(this.#pathOf(owner))
    } catch {
      return undefined
    }
  }

  async #removeOf(owner: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (!OURS.test(name) || !name.startsWith(owner)) continue
      const path = join(this.#folder, name)
      if ((await lstat(path).catch(unlessGone))?.isFile() === true) await unlink(path).catch(unlessGone)
    }
    await unlink(this.#pathOf(owner)).catch(unlessGone)
  }

  async #names(): Promise<readonly string[]> {
    return (await readdir(this.#folder).catch(unlessGone)) ?? []
  }

  #pathOf(owner: string): string {
    return join(this.#folder, `.owner-${owner}`)
  }
}

/** Another process may have been quicker. */
function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}
