import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/adapters/audit/tail.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { entry, fileNames, HandClock, newDirectory, openLog, recordsOf, toolsOf } from './scene.ts'

const file = (directory: string, day: string): string => join(directory, `${day}.jsonl`)
const mode = (path: string): number => statSync(path).mode & 0o777
const at = (day: string): string => `${day}T12:00:00.000Z`

function compress(directory: string, day: string): void {
  writeFileSync(`${file(directory, day)}.gz`, gzipSync(readFileSync(file(directory, day))), { mode: 0o400 })
  rmSync(file(directory, day))
}

test('a new day closes the old file and begins its own', async () => {
  const directory = newDirectory()
  const clock = new HandClock('2026-05-06T23:59:59.999Z')
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  await log.append(entry('b'))
  clock.set('2026-05-07T00:00:00.000Z')
  expect(await log.append(entry('c'))).toEqual({ seq: 0 })

  expect(fileNames(directory)).toEqual(['2026-05-06.jsonl', '2026-05-07.jsonl'])
  expect([mode(file(directory, '2026-05-06')), mode(file(directory, '2026-05-07'))]).toEqual([0o400, 0o600])
  const lines = readFileSync(file(directory, '2026-05-06'), 'utf8').split(/(?<=\n)/)
  const [, , eof] = recordsOf(directory, '2026-05-06')
  expect(eof).toMatchObject({ tool: 'eof_day', seq: 2, final_hash: `sha256:${sha256(lines[1] ?? '')}` })
  expect(eof?.prev_hash).toBe(eof?.final_hash)
  expect(recordsOf(directory, '2026-05-07')[0]).toMatchObject({
    seq: 0,
    prev_hash: eof?.final_hash,
    prev_eof_hash: `sha256:${sha256(lines[2] ?? '')}`,
  })
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 4, files: 2 })
})

test('a day can be ended without waiting for a record, once', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  await log.endDay()
  expect(toolsOf(directory, '2026-05-06')).toEqual(['a'])
  clock.set(at('2026-05-07'))
  await Promise.all([log.endDay(), log.endDay()])
  expect(toolsOf(directory, '2026-05-06')).toEqual(['a', 'eof_day'])
  await log.append(entry('b'))
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 3 })
})

test('processes that meet the new day together close the old one once', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const logs = [openLog(directory, clock), openLog(directory, clock), openLog(directory, clock)]
  await Promise.all(logs.map((log) => log.append(entry('a'))))
  clock.set(at('2026-05-07'))
  await Promise.all(logs.map((log) => log.append(entry('b'))))
  expect(toolsOf(directory, '2026-05-06')).toEqual(['a', 'a', 'a', 'eof_day'])
  expect(toolsOf(directory, '2026-05-07')).toEqual(['b', 'b', 'b'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact' })
})

test('when the clock goes backwards, records stay in the newest file', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  clock.set(at('2026-05-02'))
  await log.append(entry('b'))
  await log.close()
  await openLog(directory, clock).append(entry('c'))
  expect(fileNames(directory)).toEqual(['2026-05-06.jsonl'])
  expect(toolsOf(directory, '2026-05-06')).toEqual(['a', 'b', 'c'])
})

test('when the newest file is closed already, records go to the day after it', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  clock.set(at('2026-05-07'))
  await log.endDay()
  clock.set(at('2026-05-06'))
  await log.append(entry('b'))
  expect(toolsOf(directory, '2026-05-07')).toEqual(['b'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 3 })
})

test('a day without a file is said in the next one, and the chain goes on from the last file there is', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  clock.set(at('2026-05-09'))
  expect(await log.append(entry('b'))).toEqual({ seq: 1 })
  expect(recordsOf(directory, '2026-05-09')[0]).toMatchObject({ tool: 'audit_file_missing', day: '2026-05-08', seq: 0 })
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', missingFiles: 1 })
})

test('the first file ever misses none before it', async () => {
  const directory = newDirectory()
  await openLog(directory, new HandClock(at('2026-05-06'))).append(entry('a'))
  expect(toolsOf(directory, '2026-05-06')).toEqual(['a'])
})

test('a file taken away under a running server is said, and does not heal', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  clock.set(at('2026-05-07'))
  await log.append(entry('b'))
  rmSync(file(directory, '2026-05-07'))
  await log.append(entry('c'))
  expect(recordsOf(directory, '2026-05-07')[0]).toMatchObject({ tool: 'audit_file_missing', day: '2026-05-07' })
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'broken', file: '2026-05-07.jsonl', line: 1 })
})

test('a file taken from between two others is found', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const log = openLog(directory, clock)
  for (const day of ['2026-05-06', '2026-05-07', '2026-05-08']) {
    clock.set(at(day))
    await log.append(entry('a'))
  }
  rmSync(file(directory, '2026-05-07'))
  expect(await verifyAuditDirectory(directory)).toMatchObject({
    file: '2026-05-08.jsonl',
    line: 1,
    problem: 'missing_file',
  })
})

test.each([
  [
    'the old file was closed but not yet made read-only',
    (directory: string) => chmodSync(file(directory, '2026-05-06'), 0o600),
  ],
  [
    'the new file was made but nothing written',
    (directory: string) => writeFileSync(file(directory, '2026-05-07'), ''),
  ],
  ['the first record was torn', (directory: string) => writeFileSync(file(directory, '2026-05-07'), '{"args')],
])('a change of day that stopped where %s is finished', async (_name, crash) => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  clock.set(at('2026-05-07'))
  await log.endDay()
  await log.close()
  crash(directory)
  await openLog(directory, clock).append(entry('b'))
  expect(mode(file(directory, '2026-05-06'))).toBe(0o400)
  expect(toolsOf(directory, '2026-05-07').at(-1)).toBe('b')
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', files: 2 })
})

test('a day whose file stayed empty is closed like any other', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  await openLog(directory, clock).append(entry('a'))
  writeFileSync(file(directory, '2026-05-07'), '')
  clock.set(at('2026-05-08'))
  await openLog(directory, clock).append(entry('b'))
  expect(toolsOf(directory, '2026-05-07')).toEqual(['eof_day'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 4, files: 3 })
})

test('compressed files count like plain ones', async () => {
  const directory = newDirectory()
  const clock = new HandClock(at('2026-05-06'))
  const log = openLog(directory, clock)
  for (const day of ['2026-05-06', '2026-05-07']) {
    clock.set(at(day))
    await log.append(entry('a'))
  }
  clock.set(at('2026-05-08'))
  await log.endDay()
  compress(directory, '2026-05-06')
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 4, files: 2 })
  compress(directory, '2026-05-07')
  await log.append(entry('b'))
  expect(toolsOf(directory, '2026-05-08')).toEqual(['b'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 5, files: 3 })
})

test('an old compressed file that cannot be read does not stop the record; verification says it', async () => {
  const directory = newDirectory()
  writeFileSync(`${file(directory, '2026-05-06')}.gz`, 'not gzip')
  await openLog(directory, new HandClock(at('2026-05-07'))).append(entry('a'))
  expect(toolsOf(directory, '2026-05-07')).toEqual(['audit_file_missing', 'a'])
  await expect(verifyAuditDirectory(directory)).rejects.toMatchObject({ code: 'unavailable' })
})
