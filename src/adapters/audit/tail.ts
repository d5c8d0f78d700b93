/**
 * Where a day file's chain ends.
 *
 * INVARIANT: only whole, valid records count. An incomplete last line was never acknowledged. Neither was a whole line at
 * the very end that is no valid record (a power failure may leave such, before its flush returned): both are `torn`.
 */
import { hash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { type ChainedRecord, closesDay, type Hash, lineHash, type Place, placeAfter } from '../../core/audit/chain.ts'
import { readLine } from '../../core/audit/line.ts'
import type { DayFile } from './day-files.ts'
import { linesOf } from './lines.ts'

export interface Tail {
  /** Bytes up to the end of the last valid record. */
  readonly end: number
  /** Bytes after it. */
  readonly torn: number
  /** Where the next record goes: in this file, or in the next when this one is closed. None: no record yet. */
  readonly place: Place | undefined
  readonly closed: boolean
  /** The number of records, and the hash of the last line. */
  readonly count: number
  readonly root: string | undefined
}

export const sha256: Hash = (bytes) => hash('sha256', bytes, 'hex')

const NOTHING: Tail = { end: 0, torn: 0, place: undefined, closed: false, count: 0, root: undefined }
const WINDOW = 64 * 1024
const NEWLINE = 0x0a

export async function readTail(file: DayFile): Promise<Tail> {
  return file.compressed ? compressedTail(file) : plainTail(file.path)
}

async function plainTail(path: string): Promise<Tail> {
  const { size } = await stat(path)
  for (let window = WINDOW; ; window *= 4) {
    const start = Math.max(0, size - window)
    const found = lastRecord(await readRange(path, start, size), start)
    if (found !== undefined) return { ...found, torn: size - found.end }
    if (start === 0) return { ...NOTHING, torn: size }
  }
}

export async function readRange(path: string, start: number, end: number): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const bytes = Buffer.alloc(end - start)
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
      if (bytesRead === 0) throw new Error('the file became shorter while it was read')
      filled += bytesRead
    }
    return bytes
  } finally {
    await handle.close()
  }
}

/** The last valid record that lies whole in these bytes, which begin at `offset` of the file. */
function lastRecord(bytes: Buffer, offset: number): Omit<Tail, 'torn'> | undefined {
  let end = bytes.lastIndexOf(NEWLINE)
  while (end !== -1) {
    const before = end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1)
    // Without the newline before it, the line may have begun before this window.
    if (before === -1 && offset > 0) return undefined
    const line = bytes.subarray(before + 1, end + 1)
    const reading = readLine(line)
    if (reading.kind === 'record') {
      return { end: offset + end + 1, ...endAt(reading.record, line) }
    }
    end = before
  }
  return undefined
}

async function compressedTail(file: DayFile): Promise<Tail> {
  let last: Buffer | undefined
  for await (const line of linesOf(file)) last = line
  const reading = last === undefined ? undefined : readLine(last)
  if (last === undefined || reading?.kind !== 'record') throw new Error(`${file.name} does not end with a record`)
  return { end: 0, torn: 0, ...endAt(reading.record, last) }
}

function endAt(record: ChainedRecord, line: Uint8Array): Omit<Tail, 'end' | 'torn'> {
  const root = lineHash(line, sha256)
  return { place: placeAfter(record, root), closed: closesDay(record), count: record.seq + 1, root }
}
