/**
 * Signs how far a day's file has come, in `<day>.ckpt`. Runs under the directory's lock only.
 *
 * INVARIANT: signs only what this process knows to be on disk, and each checkpoint of a file covers more than the one
 * before it. Never stands in the way of recording: what goes wrong here is logged. A checkpoint that a power failure takes
 * with it proves less; it never accuses anyone.
 */
import { constants, type Stats, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { checkpointText, readCheckpointText } from '../../core/audit/checkpoint.ts'
import { writeNote } from '../../core/audit/note.ts'
import { checkpointPath } from './day-files.ts'
import { writeAll } from './disk.ts'
import { openSigner, type Signer } from './key.ts'
import { readRange } from './tail.ts'
import { isoNow, type Premises, syncDirectory } from './write-records.ts'

/** The end of a day's file: how many records, and the hash of the last. */
export interface Head {
  readonly day: string
  readonly size: number
  readonly root: string
}

interface OpenFile {
  readonly day: string
  readonly path: string
  readonly fd: number
  /** As this process left it. */
  readonly bytes: number
  /** The records that its last checkpoint covers. */
  readonly covered: number
}

const CLOSED_MODE = 0o400
/** Holds several checkpoints. */
const WINDOW = 4096

export class CheckpointFiles {
  readonly #premises: Premises
  readonly #keyDirectory: string
  #signer: Promise<Signer> | undefined
  #open: OpenFile | undefined

  constructor(premises: Premises, keyDirectory: string) {
    this.#premises = premises
    this.#keyDirectory = keyDirectory
  }

  /** Makes the key if there is none yet. */
  async prepare(): Promise<void> {
    await this.#attempt(async () => void (await this.#signing()))
  }

  /** Signs `head` unless a checkpoint covers it. `last`: nothing will follow, so it has to be on disk. */
  async sign(head: Head, last: boolean): Promise<void> {
    await this.#attempt(async () => {
      const file = await this.#fileOf(head.day, head.size)
      if (file === undefined) return
      await this.#append(file, head)
      if (last) await this.#premises.disk.datasync(file.fd)
    })
  }

  /** The day is over: its last checkpoint is on disk, and the file is for reading only. */
  async end(head: Head): Promise<void> {
    await this.sign(head, true)
    await this.close()
    await this.#attempt(async () => {
      const path = checkpointPath(this.#premises.directory, head.day)
      const found = statOf(path)
      if (found !== undefined && (found.mode & 0o777) !== CLOSED_MODE) await chmod(path, CLOSED_MODE)
    })
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    if (open !== undefined) await this.#premises.disk.close(open.fd).catch(() => undefined)
  }

  async #append(file: OpenFile, head: Head): Promise<void> {
    const signer = await this.#signing()
    const text = checkpointText({ ...head, time: isoNow(this.#premises) })
    const note = Buffer.from(writeNote(text, signer.sign(text)))
    await writeAll(this.#premises.disk, file.fd, note, file.bytes)
    this.#open = { ...file, bytes: file.bytes + note.length, covered: head.size }
  }

  /** The file to append to; undefined where `size` is covered, perhaps by another process. */
  async #fileOf(day: string, size: number): Promise<OpenFile | undefined> {
    const path = checkpointPath(this.#premises.directory, day)
    const found = statOf(path)
    if (this.#open?.path !== path || found?.size !== this.#open.bytes) {
      await this.close()
      const end = found === undefined ? { bytes: 0, covered: 0 } : await lastCheckpoint(path, found.size)
      // Before it is opened for writing: a day that is over is closed to that.
      if (end.covered >= size) return undefined
      const { disk } = this.#premises
      const fd = await disk.open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
      this.#open = { day, path, fd, ...end }
      if (found === undefined) await syncDirectory(this.#premises)
      else if (end.bytes < found.size) await disk.truncate(fd, end.bytes)
    }
    return this.#open.covered >= size ? undefined : this.#open
  }

  #signing(): Promise<Signer> {
    this.#signer ??= openSigner(this.#keyDirectory, this.#premises.log)
    return this.#signer
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (err) {
      this.#signer = undefined
      await this.close()
      this.#premises.log.error({ err }, 'the audit log could not be signed; recording goes on without')
    }
  }
}

/** Where the last whole checkpoint of a file ends, and what it covers. What follows it was cut while it was written. */
async function lastCheckpoint(path: string, size: number): Promise<{ bytes: number; covered: number }> {
  const start = Math.max(0, size - WINDOW)
  const tail = (await readRange(path, start, size)).toString('latin1')
  const blocks = tail.split('\n\n')
  const rest = blocks.pop() ?? ''
  // Each note is a text and its signatures: a text alone at the end belongs to what was cut.
  const torn = blocks.length > 0 && !isSignature(blocks.at(-1)) ? `${blocks.pop()}\n\n${rest}` : rest
  const text = blocks.at(-2) ?? ''
  return { bytes: size - torn.length, covered: readCheckpointText(`${text}\n`)?.size ?? 0 }
}

function isSignature(block: string | undefined): boolean {
  // An em dash, byte by byte.
  return block?.startsWith('\u00e2\u0080\u0094 ') === true
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
