/**
 * Streams a day file's lines as exact bytes, each with its newline; the last one without, where the file lacks it.
 *
 * INVARIANT: a file that was compressed since it was listed is read where it went; one that was deleted for its age has
 * no lines.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import type { DayFile } from './day-files.ts'
import { codeOf } from './failures.ts'

const NEWLINE = 0x0a
/** A server may be in the middle of writing a line; then it is whole a moment later. */
const LOOKS = 10
const PAUSE_MS = 20

/** Up to where the file now ends in a whole line: what is appended later is not part of it. */
export function settledLines(file: DayFile): AsyncGenerator<Buffer> {
  return read(file, settledSize)
}

export function linesOf(file: DayFile): AsyncGenerator<Buffer> {
  return read(file, async () => undefined)
}

type Measure = (handle: FileHandle) => Promise<number | undefined>

async function* read({ path, compressed }: DayFile, measure: Measure): AsyncGenerator<Buffer> {
  const plain = compressed ? undefined : await openIfThere(path)
  const handle = plain ?? (await openIfThere(compressed ? path : `${path}.gz`))
  if (handle === undefined) return
  const size = plain === undefined ? undefined : await measure(plain)
  if (size === 0) return await handle.close()
  // The stream closes the handle.
  const file = handle.createReadStream(size === undefined ? {} : { start: 0, end: size - 1 })
  // The iteration meets the file's errors too: `pipeline` hands them on.
  yield* split(plain === undefined ? pipeline(file, createGunzip(), () => undefined) : file)
}

async function* split(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  for await (const chunk of chunks) {
    let start = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, at + 1)
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest])
      begun = []
      start = at + 1
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function settledSize(handle: FileHandle): Promise<number> {
  for (let look = 1; ; look += 1) {
    const { size } = await handle.stat()
    const last = Buffer.alloc(1)
    if (size > 0) await handle.read(last, 0, 1, size - 1)
    if (size === 0 || last[0] === NEWLINE || look === LOOKS) return size
    await pause(PAUSE_MS)
  }
}
