/**
 * The record as people look at it: newest first, a page at a time.
 *
 * INVARIANT: reads no older file than it must. Holds as many records as were asked for, and one line.
 */
import { existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { readLine } from '../../core/audit/line.ts'
import { mayHold, selects } from '../../core/audit/selection.ts'
import type { AuditReader, PlacedRecord, RecordsWanted } from '../../ports/audit-reader.ts'
import { type DayFile, listDayFiles } from './day-files.ts'
import { cannotRead, codeOf } from './failures.ts'
import { settledLines } from './lines.ts'
import { linesBackwards } from './lines-backwards.ts'
import { verifyAuditDirectory } from './verify.ts'

export function createAuditReader({ directory, keyDirectory }: AuditReaderOptions): AuditReader {
  return {
    async latest(asked, most) {
      // Nothing was recorded yet.
      if (!existsSync(directory)) return []
      try {
        return await latestIn(directory, asked, most)
      } catch (error) {
        throw cannotRead(error)
      }
    },
    async verify() {
      return verifyAuditDirectory(directory, { keyDirectory })
    },
  }
}

export interface AuditReaderOptions {
  readonly directory: string
  /** Where the public key of the checkpoints lies. */
  readonly keyDirectory: string
}

async function latestIn(directory: string, asked: RecordsWanted, most: number): Promise<readonly PlacedRecord[]> {
  const files = (await listDayFiles(directory)).filter(
    ({ day }) => mayHold(asked, day) && (asked.before === undefined || day <= asked.before.day),
  )
  const found: PlacedRecord[] = []
  for (const file of files.toReversed()) {
    if (found.length >= most) break
    const handle = file.compressed ? undefined : await open(file.path, 'r').catch(unlessMoved)
    try {
      found.push(...(await newestOf(file, handle, asked, most - found.length)))
    } finally {
      await handle?.close()
    }
  }
  return found
}

/** It was compressed since it was listed. */
function unlessMoved(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

async function newestOf(
  file: DayFile,
  handle: FileHandle | undefined,
  asked: RecordsWanted,
  most: number,
): Promise<readonly PlacedRecord[]> {
  const matching = matchesIn(file.day, asked)
  if (handle === undefined) return (await lastOf(settledLines(file), matching, most)).toReversed()
  const found: PlacedRecord[] = []
  for await (const line of linesBackwards(handle)) {
    found.push(...matching(line))
    if (found.length >= most) break
  }
  return found
}

async function lastOf(lines: AsyncIterable<Buffer>, matching: Matching, most: number): Promise<PlacedRecord[]> {
  let last: PlacedRecord[] = []
  for await (const line of lines) {
    last.push(...matching(line))
    // Now and then, so that it costs nothing.
    if (last.length >= most * 2) last = last.slice(-most)
  }
  return last.slice(-most)
}

type Matching = (line: Buffer) => readonly PlacedRecord[]

function matchesIn(day: string, asked: RecordsWanted): Matching {
  const { before, result } = asked
  const upTo = before?.day === day ? before.seq : Number.POSITIVE_INFINITY
  return (line) => {
    const reading = readLine(line)
    if (reading.kind !== 'record') return []
    const { record } = reading
    const fits = record.seq < upTo && selects(asked, record) && (result === undefined || record.result === result)
    return fits ? [{ day, record }] : []
  }
}
