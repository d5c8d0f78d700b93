/** The record as the console reads it: newest first, over days, from plain and compressed files. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createAuditReader } from '../../src/adapters/audit/reader.ts'
import type { RecordsWanted } from '../../src/ports/audit-reader.ts'
import { entry, HandClock, newDirectory, openLog } from '../audit/scene.ts'

const DAYS = ['2026-05-06', '2026-05-07', '2026-05-08']

/** Ten records a day, the oldest day compressed, and a line that is being written. */
async function written(): Promise<string> {
  const directory = newDirectory()
  const clock = new HandClock(`${DAYS[0]}T10:00:00.000Z`)
  const log = openLog(directory, clock)
  for (const day of DAYS) {
    clock.set(`${day}T10:00:00.000Z`)
    for (let at = 0; at < 10; at += 1) {
      const result = at % 3 === 0 ? 'ERROR' : 'OK'
      await log.append({ ...entry(`${day} ${at}`), result, caller_id: at % 2 ? 'odd' : 'even' })
    }
  }
  await log.close()
  const path = join(directory, `${DAYS[0]}.jsonl`)
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)))
  rmSync(path)
  appendFileSync(join(directory, `${DAYS[2]}.jsonl`), '{"half":')
  return directory
}

async function read(directory: string, asked: RecordsWanted, most: number): Promise<string[]> {
  const found = await createAuditReader({ directory, keyDirectory: directory }).latest(asked, most)
  return found.map(({ day, record }) => `${day}:${record.seq} ${record.tool}`)
}

test('pages follow each other without a gap, through every day', async () => {
  const directory = await written()
  const all = await read(directory, {}, 1000)
  expect(all).toHaveLength(32)
  expect([all[0], all.at(-1)]).toEqual(['2026-05-08:9 2026-05-08 9', '2026-05-06:0 2026-05-06 0'])
  const pages: string[] = []
  for (let before: RecordsWanted['before']; ; ) {
    const page = await read(directory, before === undefined ? {} : { before }, 7)
    if (page.length === 0) break
    pages.push(...page)
    const [, day = '', seq = ''] = /^(\S+):(\d+) /.exec(page.at(-1) ?? '') ?? []
    before = { day, seq: Number(seq) }
  }
  expect(pages).toEqual(all)
})

test('what is selected, in each kind of file', async () => {
  const directory = await written()
  expect(await read(directory, { caller: 'odd', result: 'ERROR' }, 5)).toEqual([
    '2026-05-08:9 2026-05-08 9',
    '2026-05-08:3 2026-05-08 3',
    '2026-05-07:9 2026-05-07 9',
    '2026-05-07:3 2026-05-07 3',
    '2026-05-06:9 2026-05-06 9',
  ])
  const before = { day: '2026-05-06', seq: 9 }
  expect(await read(directory, { caller: 'odd', before }, 2)).toEqual([
    '2026-05-06:7 2026-05-06 7',
    '2026-05-06:5 2026-05-06 5',
  ])
})

test('where nothing was ever recorded there is nothing', async () => {
  expect(await read(join(newDirectory(), 'none'), {}, 10)).toEqual([])
})
