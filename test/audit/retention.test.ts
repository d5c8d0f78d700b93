import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compressDay } from '../../src/adapters/audit/compress.ts'
import { dayFile } from '../../src/adapters/audit/day-files.ts'
import { systemDisk } from '../../src/adapters/audit/disk.ts'
import { createDirectoryLock } from '../../src/adapters/audit/lock.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { DAY_MS, dayOf } from '../../src/core/audit/day.ts'
import { entry, fileNames, HandClock, newDirectory, openLog, recordsOf, toolsOf } from './scene.ts'

const RETENTION = { hotDays: 2, warmDays: 3, deleteAfterDays: 5 }
const FIRST = Date.parse('2026-05-01T12:00:00.000Z')
const day = (index: number): string => dayOf(FIRST + index * DAY_MS)
const at = (index: number): string => new Date(FIRST + index * DAY_MS).toISOString()

interface Scene {
  readonly home: string
  readonly audit: string
  readonly clock: HandClock
}

/** One record on each of so many days, signed; nothing is old yet. */
async function writtenFor(days: number): Promise<Scene> {
  const home = newDirectory()
  const audit = join(home, 'audit')
  mkdirSync(audit, { mode: 0o700 })
  const clock = new HandClock(at(0))
  const log = openLog(audit, clock, systemDisk, { keyDirectory: home })
  for (let index = 0; index < days; index += 1) {
    clock.set(at(index))
    await log.append(entry(`day ${index}`))
  }
  await log.close()
  return { home, audit, clock }
}

function open({ home, audit, clock }: Scene): ReturnType<typeof openLog> {
  return openLog(audit, clock, systemDisk, { keyDirectory: home, retention: RETENTION })
}

function dayNames(audit: string): string[] {
  return fileNames(audit).filter((name) => name.includes('.jsonl'))
}

/** What is there after the eighth day's record: the eighth is open, the seventh young. */
const SETTLED = [...[3, 4, 5].map((index) => `${day(index)}.jsonl.gz`), ...[6, 7].map((index) => `${day(index)}.jsonl`)]

test('old files are compressed, older ones deleted, each deletion on record', async () => {
  const scene = await writtenFor(7)
  writeFileSync(join(scene.audit, `${day(0)}.torn`), 'x')
  const plain = readFileSync(join(scene.audit, `${day(4)}.jsonl`))
  scene.clock.set(at(7))
  await open(scene).append(entry('today'))
  await expect.poll(() => dayNames(scene.audit)).toEqual(SETTLED)
  const packed = join(scene.audit, `${day(4)}.jsonl.gz`)
  expect(gunzipSync(readFileSync(packed))).toEqual(plain)
  expect(statSync(packed).mode & 0o777).toBe(0o400)
  expect(
    recordsOf(scene.audit, day(7))
      .filter(({ tool }) => tool === 'retention_delete')
      .map((record) => record.day),
  ).toEqual([day(0), day(1), day(2)])
  expect(readdirSync(scene.audit).filter((name) => name < day(3) && !name.startsWith('.'))).toEqual([])
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({
    kind: 'intact',
    fromTheBeginning: false,
    deletedFiles: 3,
    attestation: { bareFiles: 0 },
  })
})

test('the record of a deletion is durable before the file goes', async () => {
  const scene = await writtenFor(7)
  scene.clock.set(at(7))
  let full = false
  const disk = {
    ...systemDisk,
    write: (fd: number, bytes: Uint8Array, position: number) =>
      full
        ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
        : systemDisk.write(fd, bytes, position),
  }
  const warnings: string[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, message: string) => void warnings.push(message) }
  const files = openLog(scene.audit, scene.clock, disk, { retention: RETENTION, log })
  await files.append(entry('today'))
  full = true
  await expect.poll(() => warnings).toEqual(['the upkeep of the audit log failed'])
  expect(dayNames(scene.audit)).toHaveLength(8)
  full = false
  await files.close()
  await open(scene).append(entry('later'))
  await expect.poll(() => dayNames(scene.audit)).toEqual(SETTLED)
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact' })
})

test('it happens at a change of day too, without a restart', async () => {
  const scene = await writtenFor(3)
  const log = open(scene)
  for (const index of [3, 4, 5, 6, 7]) {
    scene.clock.set(at(index))
    await log.append(entry('a'))
  }
  await expect.poll(() => dayNames(scene.audit)).toEqual(SETTLED)
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact' })
})

test('several processes that start at once do it once', async () => {
  const scene = await writtenFor(7)
  scene.clock.set(at(7))
  await Promise.all([open(scene), open(scene), open(scene)].map((log) => log.append(entry('a'))))
  await expect.poll(() => dayNames(scene.audit)).toEqual(SETTLED)
  expect(toolsOf(scene.audit, day(7)).filter((tool) => tool === 'retention_delete')).toHaveLength(3)
})

test('while another process is at it, nothing is done here', async () => {
  const scene = await writtenFor(7)
  scene.clock.set(at(7))
  const lock = createDirectoryLock(scene.audit, scene.clock, '.retention.db')
  await lock.acquire()
  const log = open(scene)
  await log.append(entry('a'))
  await pause(300)
  expect(dayNames(scene.audit)).toHaveLength(8)
  lock.release()
  lock.close()
})

test('a clock that jumped years ahead deletes nothing', async () => {
  const scene = await writtenFor(3)
  scene.clock.set('2031-01-01T00:00:00.000Z')
  const log = open(scene)
  await log.append(entry('a'))
  await expect.poll(() => dayNames(scene.audit)).toContain(`${day(0)}.jsonl.gz`)
  scene.clock.set(at(3))
  await log.append(entry('b'))
  await log.close()
  expect(dayNames(scene.audit)).toHaveLength(4)
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact', fromTheBeginning: true })
})

test.each<[string, (audit: string) => void]>([
  [
    'a compressed file was half written',
    (audit) => writeFileSync(join(audit, `${day(3)}.jsonl.gz.part`), 'half', { mode: 0o400 }),
  ],
  [
    'a compressed file was there and the plain one not yet gone',
    (audit) => {
      const plain = readFileSync(join(audit, `${day(3)}.jsonl`))
      writeFileSync(join(audit, `${day(3)}.jsonl.gz`), gzipSync(plain), { mode: 0o400 })
    },
  ],
  ['the checkpoints of a file to be deleted were gone', (audit) => rmSync(join(audit, `${day(0)}.ckpt`))],
  ['a file to be deleted was compressed', (audit) => compressAway(audit, day(0))],
])('where a crash came when %s, the next run goes on', async (_name, crash) => {
  const scene = await writtenFor(7)
  crash(scene.audit)
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact' })
  scene.clock.set(at(7))
  await open(scene).append(entry('a'))
  await expect.poll(() => dayNames(scene.audit)).toEqual(SETTLED)
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact', deletedFiles: 3 })
})

function compressAway(audit: string, which: string): void {
  const path = join(audit, `${which}.jsonl`)
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)), { mode: 0o400 })
  rmSync(path)
}

test('a compression that is stopped leaves the plain file and nothing else', async () => {
  const scene = await writtenFor(2)
  const file = dayFile(scene.audit, day(0))
  await expect(compressDay(file, AbortSignal.abort())).rejects.toThrow()
  expect(existsSync(file.path)).toBe(true)
  expect(readdirSync(scene.audit).filter((name) => name.includes('.gz'))).toEqual([])
})

test('verification while files are compressed and deleted finds nothing wrong', async () => {
  const scene = await writtenFor(7)
  scene.clock.set(at(7))
  const log = open(scene)
  await log.append(entry('a'))
  for (let look = 0; look < 40; look += 1) {
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact' })
    await pause(5)
  }
  await expect.poll(() => dayNames(scene.audit)).toEqual(SETTLED)
})
