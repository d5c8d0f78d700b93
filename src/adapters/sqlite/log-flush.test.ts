import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { LogFlush } from './log-flush.ts'

const disk = vi.hoisted(() => ({ isFailing: false, flushes: 0 }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  const fdatasync: typeof real.fdatasync = ((file: number, done: (error: Error | null) => void) => {
    disk.flushes += 1
    if (disk.isFailing) done(new Error('EIO'))
    else real.fdatasync(file, done)
  }) as typeof real.fdatasync
  return { ...real, fdatasync }
})

beforeEach(() => {
  disk.isFailing = false
  disk.flushes = 0
})

function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'flush-'))
  const path = join(folder, 'a.db')
  const db = new Sqlite(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.exec('create table row (number integer)')
  const log = new LogFlush(db, path)
  onTestFinished(() => {
    log.close()
    db.close()
    rmSync(folder, { recursive: true })
  })
  const add = (number: number) => db.prepare('insert into row values (?)').run(number)
  return { folder, path, db, log, add }
}

test('after a flush that failed all goes into the file itself before anything is called done', async () => {
  const { path, log, add, db } = opened()
  add(1)
  await log.flush()
  disk.isFailing = true
  add(2)
  await expect(log.flush()).rejects.toThrow('EIO')
  const { size } = statSync(path)
  add(3)
  // The disk would still fail, and is not asked.
  await log.flush()
  expect(disk.flushes).toBe(2)
  expect(statSync(`${path}-wal`).size).toBe(0)
  expect(statSync(path).size).toBeGreaterThanOrEqual(size)
  expect(db.prepare('select number from row').pluck().all()).toEqual([1, 2, 3])
  disk.isFailing = false
  add(4)
  await log.flush()
  expect(disk.flushes).toBe(3)
})

test('while somebody still reads the old log nothing is called done', async () => {
  const { path, log, add } = opened()
  disk.isFailing = true
  add(1)
  await expect(log.flush()).rejects.toThrow('EIO')
  const reader = new Sqlite(path, { timeout: 0 })
  reader.exec('begin')
  reader.prepare('select * from row').all()
  add(2)
  await expect(log.flush()).rejects.toMatchObject({ code: 'EIO' })
  reader.exec('commit')
  reader.close()
  await log.flush()
})

test.runIf(process.platform === 'linux')('a log that cannot be opened leaves no file open', async () => {
  const { folder, db } = opened()
  const before = readdirSync('/proc/self/fd').length
  for (const missing of ['missing.db', join('nowhere', 'missing.db')]) {
    await expect(new LogFlush(db, join(folder, missing)).flush()).rejects.toMatchObject({ code: 'ENOENT' })
  }
  expect(readdirSync('/proc/self/fd')).toHaveLength(before)
})
