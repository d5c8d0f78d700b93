/** Streams a day file's lines as exact bytes, each with its newline; the last one without, where the file lacks it. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { DayFile } from './day-files.ts'

const NEWLINE = 0x0a

/** Reads at most `size` bytes of a plain file: what was there when the size was taken. */
export async function* linesOf({ path, compressed }: DayFile, size?: number): AsyncGenerator<Buffer> {
  if (size === 0) return
  const file = createReadStream(path, size === undefined ? {} : { end: size - 1 })
  // The iteration below meets the file's errors too: `pipeline` hands them on.
  const bytes: AsyncIterable<Buffer> = compressed ? pipeline(file, createGunzip(), () => undefined) : file
  let begun: Buffer[] = []
  for await (const chunk of bytes) {
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
