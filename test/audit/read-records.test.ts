import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type ReadRecord, readAuditRecords } from '../../src/adapters/audit/read-records.ts'
import type { Selection } from '../../src/core/audit/selection.ts'
import { entry, HandClock, newDirectory, openLog } from './scene.ts'

const DAYS = ['2026-05-06', '2026-05-07', '2026-05-08']

/** Ten records a day, the oldest day compressed. */
async function written(): Promise<string> {
  const directory = newDirectory()
  const clock = new HandClock(`${DAYS[0]}T10:00:00.000Z`)
  const log = openLog(directory, clock)
  for (const day of DAYS) {
    clock.set(`${day}T10:00:00.000Z`)
    for (let i = 0; i < 10; i += 1) {
      await log.append({ ...entry(`${day} ${i}`), ts: `${day}T10:00:0${i}.000Z`, caller_id: i % 2 ? 'odd' : 'even' })
    }
  }
  await log.close()
  const path = join(directory, `${DAYS[0]}.jsonl`)
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)))
  rmSync(path)
  return directory
}

async function read(directory: string, selection: Selection, latest?: number): Promise<string[]> {
  const found: string[] = []
  for await (const one of readAuditRecords(directory, selection, latest)) found.push(nameOf(one))
  return found
}

function nameOf(one: ReadRecord): string {
  return one.kind === 'record' ? one.record.tool : `${one.file}:${one.line}`
}

test('everything, oldest first, from plain and compressed files', async () => {
  const all = await read(await written(), {})
  expect(all).toHaveLength(32)
  expect(all[0]).toBe('2026-05-06 0')
  expect(all.at(-1)).toBe('2026-05-08 9')
})

test('what is selected', async () => {
  const directory = await written()
  const since = Date.parse('2026-05-06T10:00:07.000Z')
  const until = Date.parse('2026-05-07T10:00:02.000Z')
  expect(await read(directory, { since, until, caller: 'odd' })).toEqual([
    '2026-05-06 7',
    '2026-05-06 9',
    '2026-05-07 1',
  ])
  expect(await read(directory, { tool: 'eof_day' })).toHaveLength(2)
})

test('the latest, over files', async () => {
  const directory = await written()
  expect(await read(directory, { caller: 'even' }, 2)).toEqual(['2026-05-08 6', '2026-05-08 8'])
  const many = await read(directory, { caller: 'even' }, 12)
  expect(many).toHaveLength(12)
  expect(many[0]).toBe('2026-05-06 6')
  expect(await read(directory, {}, 1000)).toHaveLength(32)
})

test('a line is handed on as it stands in the file', async () => {
  const directory = await written()
  const lines: string[] = []
  for await (const one of readAuditRecords(directory, {})) if (one.kind === 'record') lines.push(`${one.line}\n`)
  expect(lines.slice(-10).join('')).toBe(readFileSync(join(directory, `${DAYS[2]}.jsonl`), 'utf8'))
})

test('a line that is no record is named', async () => {
  const directory = await written()
  appendFileSync(join(directory, `${DAYS[2]}.jsonl`), '{"tool":"\u001b[2J"}\n')
  expect(await read(directory, { caller: 'nobody' })).toEqual([`${DAYS[2]}.jsonl:11`])
})

test('a directory that is not there is a failure', async () => {
  await expect(read(join(newDirectory(), 'nowhere'), {})).rejects.toMatchObject({ code: 'not_found' })
})
