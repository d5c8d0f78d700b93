/**
 * Compresses a closed day's file: `<day>.jsonl.gz` beside it.
 *
 * INVARIANT: the compressed file appears under its name only when it is whole, on disk, and gives back the same bytes. The
 * plain file stays; until it is gone, it is the one that counts.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { DayFile } from './day-files.ts'

export async function compressDay({ path, name }: DayFile, signal: AbortSignal): Promise<void> {
  const draft = `${path}.gz.part`
  // Left by a process that died: it may be read-only.
  await rm(draft, { force: true })
  try {
    const packed = createWriteStream(draft, { flags: 'wx', mode: 0o400, flush: true })
    await pipeline(createReadStream(path), createGzip(), packed, { signal })
    const [before, after] = [await digestOf(path, false, signal), await digestOf(draft, true, signal)]
    if (before !== after) throw new Error(`${name} does not come back from its compressed form`)
    await rename(draft, `${path}.gz`)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function digestOf(path: string, compressed: boolean, signal: AbortSignal): Promise<string> {
  const digest = createHash('sha256')
  const into = new Writable({
    write(chunk: Buffer, _encoding, done) {
      digest.update(chunk)
      done()
    },
  })
  const file = createReadStream(path)
  await (compressed ? pipeline(file, createGunzip(), into, { signal }) : pipeline(file, into, { signal }))
  return digest.digest('hex')
}
