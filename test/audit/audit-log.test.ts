import {
  appendFileSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Disk, systemDisk } from '../../src/adapters/audit/disk.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { entry, fileNames, HandClock, newDirectory, openLog, recordsOf, toolsOf } from './scene.ts'

const DAY = '2026-05-06'
const clock = new HandClock(`${DAY}T10:00:00.000Z`)
/** Flushes by a call of its own on every system, so that tests can see it. */
const flushing: Disk = { ...systemDisk, flushingFlag: 0 }
const mode = (path: string): number => statSync(path).mode & 0o777

test('records get their numbers in order and chain', async () => {
  const directory = newDirectory()
  const log = openLog(directory, clock)
  expect(await log.append(entry('a'))).toEqual({ seq: 0 })
  expect(await Promise.all(['b', 'c', 'd'].map((tool) => log.append(entry(tool))))).toEqual([
    { seq: 1 },
    { seq: 2 },
    { seq: 3 },
  ])
  expect(toolsOf(directory, DAY)).toEqual(['a', 'b', 'c', 'd'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 4, fromTheBeginning: true })
})

test('directory and files are for their owner alone', async () => {
  const directory = join(newDirectory(), 'state', 'audit')
  await openLog(directory, clock).append(entry('a'))
  expect(mode(directory)).toBe(0o700)
  expect(mode(join(directory, `${DAY}.jsonl`))).toBe(0o600)
  expect(mode(join(directory, '.lock.db'))).toBe(0o600)
})

test('an open directory is closed to others, unless it holds what is not ours', async () => {
  const [ours, mixed] = [newDirectory(), newDirectory()]
  writeFileSync(join(mixed, 'notes.txt'), '')
  for (const directory of [ours, mixed]) {
    chmodSync(directory, 0o755)
    await openLog(directory, clock).append(entry('a'))
  }
  expect([mode(ours), mode(mixed)]).toEqual([0o700, 0o755])
})

test('a restart continues the same chain', async () => {
  const directory = newDirectory()
  for (const tool of ['a', 'b', 'c']) {
    const log = openLog(directory, clock)
    await log.append(entry(tool))
    await log.close()
  }
  expect(toolsOf(directory, DAY)).toEqual(['a', 'b', 'c'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 3 })
})

test('two logs on one directory take turns', async () => {
  const directory = newDirectory()
  const logs = [openLog(directory, clock), openLog(directory, clock)]
  await Promise.all(Array.from({ length: 100 }, (_, index) => logs[index % 2]?.append(entry(`t${index}`))))
  expect(toolsOf(directory, DAY).sort()).toEqual(Array.from({ length: 100 }, (_, index) => `t${index}`).sort())
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 100 })
})

test('records that wait together share one flush', async () => {
  let flushes = 0
  const counting: Disk = {
    ...flushing,
    datasync(fd) {
      flushes += 1
      return systemDisk.datasync(fd)
    },
  }
  const log = openLog(newDirectory(), clock, counting)
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(entry(`t${index}`))))
  expect(flushes).toBe(1)
  await log.append(entry('alone'))
  expect(flushes).toBe(2)
})

test('records that wait together are one write', async () => {
  let writes = 0
  const counting: Disk = {
    ...systemDisk,
    write(fd, bytes, position) {
      writes += 1
      return systemDisk.write(fd, bytes, position)
    },
  }
  const log = openLog(newDirectory(), clock, counting)
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(entry(`t${index}`))))
  expect(writes).toBe(1)
})

test.runIf(process.platform === 'linux')('on Linux a write returns when it is on disk', async () => {
  const directory = newDirectory()
  const opened: number[] = []
  const watching: Disk = {
    ...systemDisk,
    open(path, flags, fileMode) {
      if (path.endsWith('.jsonl')) opened.push(flags & constants.O_DSYNC)
      return systemDisk.open(path, flags, fileMode)
    },
  }
  await openLog(directory, clock, watching).append(entry('a'))
  await openLog(directory, new HandClock('2026-05-07T10:00:00.000Z'), watching).append(entry('b'))
  expect(opened).toEqual([constants.O_DSYNC, constants.O_DSYNC, constants.O_DSYNC])
})

test('records that come during a flush go into the next one together, and only one is under way', async () => {
  let [flushes, underWay, most] = [0, 0, 0]
  const watching: Disk = {
    ...flushing,
    async datasync(fd) {
      flushes += 1
      underWay += 1
      most = Math.max(most, underWay)
      await systemDisk.datasync(fd)
      underWay -= 1
    },
  }
  const log = openLog(newDirectory(), clock, watching)
  const inFlight = async (): Promise<void> => {
    for (let i = 0; i < 20; i += 1) await log.append(entry('t'))
  }
  await Promise.all(Array.from({ length: 16 }, inFlight))
  expect(most).toBe(1)
  expect(flushes).toBeLessThanOrEqual(40)
})

test('a record is acknowledged only after its flush', async () => {
  const steps: string[] = []
  const slow: Disk = {
    ...flushing,
    async datasync(fd) {
      await systemDisk.datasync(fd)
      steps.push('flushed')
    },
  }
  await openLog(newDirectory(), clock, slow).append(entry('a'))
  steps.push('acknowledged')
  expect(steps).toEqual(['flushed', 'acknowledged'])
})

test('a full disk refuses the records whole and the next ones follow the last good line', async () => {
  const directory = newDirectory()
  let space = Number.POSITIVE_INFINITY
  const small: Disk = {
    ...systemDisk,
    async write(fd, bytes, position) {
      if (space <= 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      const written = await systemDisk.write(fd, bytes.subarray(0, space), position)
      space -= written
      return written
    },
  }
  const log = openLog(directory, clock, small)
  await log.append(entry('before'))
  const size = statSync(join(directory, `${DAY}.jsonl`)).size
  space = 600
  const refused = await Promise.allSettled([log.append(entry('x')), log.append(entry('y')), log.append(entry('z'))])
  for (const result of refused) {
    expect(result).toMatchObject({
      reason: { code: 'unavailable', message: expect.stringContaining('no space is left') },
    })
  }
  expect(statSync(join(directory, `${DAY}.jsonl`)).size).toBe(size)
  space = Number.POSITIVE_INFINITY
  await log.append(entry('after'))
  expect(toolsOf(directory, DAY)).toEqual(['before', 'after'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 2 })
})

test('a flush that fails acknowledges nothing and leaves nothing behind', async () => {
  const directory = newDirectory()
  let broken = false
  const failing: Disk = {
    ...flushing,
    datasync: (fd) =>
      broken ? Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) : systemDisk.datasync(fd),
  }
  const log = openLog(directory, clock, failing)
  await log.append(entry('before'))
  broken = true
  await expect(log.append(entry('lost'))).rejects.toMatchObject({ code: 'unavailable' })
  broken = false
  await log.append(entry('after'))
  expect(toolsOf(directory, DAY)).toEqual(['before', 'after'])
})

test('a disk that will not even take the bytes back leaves a torn tail, which the next record sets aside', async () => {
  const directory = newDirectory()
  let stuck = false
  const stubborn: Disk = {
    ...systemDisk,
    async write(fd, bytes, position) {
      if (!stuck) return systemDisk.write(fd, bytes, position)
      await systemDisk.write(fd, bytes.subarray(0, 10), position)
      throw Object.assign(new Error('EIO'), { code: 'EIO' })
    },
    truncate: (fd, size) => (stuck ? Promise.reject(new Error('EIO')) : systemDisk.truncate(fd, size)),
  }
  const log = openLog(directory, clock, stubborn)
  await log.append(entry('before'))
  stuck = true
  await expect(log.append(entry('lost'))).rejects.toMatchObject({ code: 'unavailable' })
  stuck = false
  await log.append(entry('after'))
  expect(toolsOf(directory, DAY)).toEqual(['before', 'audit_tail_torn', 'after'])
  expect(recordsOf(directory, DAY)[1]).toMatchObject({ bytes: 10, seq: 1 })
})

test('where the log cannot be written, nothing may happen; once it can, all goes on', async () => {
  const blocked = join(newDirectory(), 'audit')
  writeFileSync(blocked, 'a file where the directory should be')
  const log = openLog(blocked, clock)
  await expect(log.append(entry('a'))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('the audit log cannot be written'),
  })
  rmSync(blocked)
  expect(await log.append(entry('b'))).toEqual({ seq: 0 })
})

test('a directory taken away under a running server is made again', async () => {
  const directory = join(newDirectory(), 'audit')
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  rmSync(directory, { recursive: true })
  await expect(log.append(entry('lost'))).rejects.toMatchObject({ code: 'unavailable' })
  await log.append(entry('b'))
  expect(toolsOf(directory, DAY)).toEqual(['audit_file_missing', 'b'])
})

test('a lock file taken away does not split the log in two', async () => {
  const directory = newDirectory()
  const open = () => openLog(directory, clock)
  const logs = [open(), open(), open(), open()]
  await Promise.all(logs.map((log) => log.append(entry('a'))))
  rmSync(join(directory, '.lock.db'))
  logs.push(open(), open(), open(), open())
  for (let round = 0; round < 10; round += 1) await Promise.all(logs.map((log) => log.append(entry(`t${round}`))))
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 84 })
})

test('closing waits for what is under way; afterwards nothing is accepted', async () => {
  const directory = newDirectory()
  const log = openLog(directory, clock)
  const appended = Promise.all([log.append(entry('a')), log.append(entry('b'))])
  await log.close()
  expect(await appended).toEqual([{ seq: 0 }, { seq: 1 }])
  await expect(log.append(entry('c'))).rejects.toMatchObject({ code: 'unavailable' })
  expect(toolsOf(directory, DAY)).toEqual(['a', 'b'])
})

test('a log that was never used leaves nothing behind', async () => {
  const directory = join(newDirectory(), 'audit')
  await openLog(directory, clock).close()
  expect(existsSync(directory)).toBe(false)
})

test('verification waits for a line that is just being written', async () => {
  const directory = newDirectory()
  const log = openLog(directory, clock)
  await log.append(entry('a'))
  await log.append(entry('b'))
  await log.close()
  const path = join(directory, `${DAY}.jsonl`)
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, -10))
  const verification = verifyAuditDirectory(directory)
  await pause(30)
  // Written anew it would be empty for a moment, and that is whole.
  appendFileSync(path, whole.subarray(-10))
  expect(await verification).toMatchObject({ kind: 'intact', records: 2 })
})

test('verification of a directory that is not there is a failure, not an intact chain', async () => {
  await expect(verifyAuditDirectory(join(newDirectory(), 'nowhere'))).rejects.toMatchObject({ code: 'not_found' })
})

test('other files in the directory are left alone', async () => {
  const directory = newDirectory()
  mkdirSync(join(directory, 'old'))
  writeFileSync(join(directory, '2026-99-99.jsonl'), 'not a day')
  await openLog(directory, clock).append(entry('a'))
  expect(fileNames(directory)).toEqual([`${DAY}.jsonl`, '2026-99-99.jsonl', 'old'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 1 })
})
