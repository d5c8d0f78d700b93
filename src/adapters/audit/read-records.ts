/**
 * Reads records back, oldest first, from plain and compressed files.
 *
 * INVARIANT: holds one line in memory, or as many as the latest ones that were asked for.
 */

import type { ChainedRecord } from '../../core/audit/chain.ts'
import { readLine } from '../../core/audit/line.ts'
import { mayHold, type Selection, selects } from '../../core/audit/selection.ts'
import { type DayFile, listDayFiles } from './day-files.ts'
import { cannotRead } from './failures.ts'
import { settledLines } from './lines.ts'

export type ReadRecord =
  | {
      readonly kind: 'record'
      readonly record: ChainedRecord
      /** As it stands in the file, without its newline. */
      readonly line: string
    }
  /** A line that Postern did not write so. */
  | { readonly kind: 'unreadable'; readonly file: string; readonly line: number }

/** Of those selected all, or the `latest` so many. */
export async function* readAuditRecords(
  directory: string,
  selection: Selection,
  latest?: number,
): AsyncGenerator<ReadRecord> {
  try {
    const files = (await listDayFiles(directory)).filter(({ day }) => mayHold(selection, day))
    if (latest !== undefined) yield* latestOf(files, selection, latest)
    else for (const file of files) yield* recordsOf(file, selection)
  } catch (error) {
    throw cannotRead(error)
  }
}

async function* latestOf(files: readonly DayFile[], selection: Selection, latest: number): AsyncGenerator<ReadRecord> {
  let found: ReadRecord[] = []
  for (const file of files.toReversed()) {
    if (found.length >= latest) break
    found = [...(await lastOf(recordsOf(file, selection), latest - found.length)), ...found]
  }
  yield* found
}

async function lastOf(records: AsyncIterable<ReadRecord>, most: number): Promise<ReadRecord[]> {
  let last: ReadRecord[] = []
  for await (const record of records) {
    last.push(record)
    // Now and then, so that it costs nothing.
    if (last.length >= most * 2) last = last.slice(-most)
  }
  return last.slice(-most)
}

async function* recordsOf(file: DayFile, selection: Selection): AsyncGenerator<ReadRecord> {
  let number = 0
  for await (const bytes of settledLines(file)) {
    number += 1
    const reading = readLine(bytes)
    if (reading.kind !== 'record') yield { kind: 'unreadable', file: file.name, line: number }
    else if (selects(selection, reading.record)) {
      yield { kind: 'record', record: reading.record, line: bytes.toString('utf8', 0, bytes.length - 1) }
    }
  }
}
