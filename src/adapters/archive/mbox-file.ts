/**
 * An mbox file, looked at through a window that moves over it.
 *
 * INVARIANT: memory is one window and whatever the caller asks to be copied out, however large the file.
 */
import type { FileHandle } from 'node:fs/promises'
import { beginsMessage } from './from-line.ts'

const WINDOW_BYTES = 4 * 1024 * 1024
/** What must be in the window around a `From ` to judge it: the end of the line before, the line, the one after. */
const BEFORE = 4
const BEHIND = 1500
const MARK = Buffer.from('\nFrom ')
const BOM_BYTES = 3
const LF = 0x0a
const CR = 0x0d

export class MboxFile {
  readonly #file: FileHandle
  readonly size: number
  readonly #memory = Buffer.allocUnsafe(WINDOW_BYTES)
  #window = this.#memory.subarray(0, 0)
  #base = 0

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.size = size
  }

  /** The place of the first line at or behind `place` that begins a message; the size where there is none. */
  async nextFromLine(place: number): Promise<number> {
    if (place === 0 && (await this.isFromLine(0))) return 0
    // Some editors put a byte order mark before everything.
    if (place === 0 && (await this.isFromLine(BOM_BYTES))) return BOM_BYTES
    let at = Math.max(0, place - 1)
    while (at < this.size) {
      await this.#show(at, Math.min(this.size, at + MARK.length))
      const found = this.#window.indexOf(MARK, at - this.#base)
      if (found === -1) {
        at = Math.max(at + 1, this.#base + this.#window.length - MARK.length + 1)
        continue
      }
      const line = this.#base + found + 1
      if (await this.isFromLine(line)) return line
      at = line
    }
    return this.size
  }

  async isFromLine(place: number): Promise<boolean> {
    const start = Math.max(0, place - BEFORE)
    const around = await this.peek(start, Math.min(this.size, place + BEHIND))
    const [line = '', next = ''] = around.toString('latin1', place - start).split(/\r?\n/, 2)
    return line.startsWith('From ') && beginsMessage(line, { afterBlank: endsBlank(around, place - start), next })
  }

  async line(place: number): Promise<string> {
    const bytes = await this.peek(place, Math.min(this.size, place + BEHIND))
    const feed = bytes.indexOf(LF)
    return bytes.toString('latin1', 0, feed === -1 ? bytes.length : feed).trimEnd()
  }

  /** A copy of these bytes. */
  async copy(start: number, end: number): Promise<Buffer> {
    if (end - start <= WINDOW_BYTES) return Buffer.from(await this.peek(start, end))
    const bytes = Buffer.allocUnsafe(end - start)
    await this.#fill(bytes, start)
    return bytes
  }

  /** These bytes, valid until the next call; at most a window of them. */
  async peek(start: number, end: number): Promise<Buffer> {
    await this.#show(start, end)
    return this.#window.subarray(start - this.#base, end - this.#base)
  }

  async #show(start: number, end: number): Promise<void> {
    if (start >= this.#base && end <= this.#base + this.#window.length) return
    const wanted = this.#memory.subarray(0, Math.min(WINDOW_BYTES, this.size - start))
    this.#window = wanted
    this.#base = start
    await this.#fill(wanted, start)
  }

  async #fill(bytes: Buffer, from: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await this.#file.read(bytes, done, bytes.length - done, from + done)
      if (bytesRead === 0) throw Object.assign(new Error('the file became shorter while it was read'), { code: 'EIO' })
      done += bytesRead
    }
  }
}

/** Whether what lies before `at` ends with an empty line, or nothing but a byte order mark lies before. */
function endsBlank(bytes: Buffer, at: number): boolean {
  if (at === 0 || (at === BOM_BYTES && bytes.subarray(0, at).toString('hex') === 'efbbbf')) return true
  const before = at >= 2 && bytes[at - 2] === CR ? at - 3 : at - 2
  return before < 0 || bytes[before] === LF
}
