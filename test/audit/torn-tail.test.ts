import { appendFileSync, copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Disk, systemDisk } from '../../src/adapters/audit/disk.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { entry, HandClock, newDirectory, openLog, recordsOf, toolsOf } from './scene.ts'

const DAY = '2026-05-06'
const FILE = `${DAY}.jsonl`

// Hundreds of cuts would take long if each waited for the disk, and here nothing depends on it.
const hasty: Disk = { ...systemDisk, flushingFlag: 0, datasync: async () => undefined, sync: async () => undefined }

async function written(directory: string, ...tools: string[]): Promise<void> {
  const log = openLog(directory, new HandClock(`${DAY}T10:00:00.000Z`), hasty)
  for (const tool of tools) await log.append(entry(tool))
  await log.close()
}

test('wherever the last line was cut, it is set aside and the chain goes on from the line before', async () => {
  const whole = newDirectory()
  await written(whole, 'a', 'b', 'c')
  const bytes = readFileSync(join(whole, FILE))
  const start = bytes.lastIndexOf('\n', bytes.length - 2) + 1
  for (let end = start; end < bytes.length; end += 1) {
    const directory = newDirectory()
    writeFileSync(join(directory, FILE), bytes.subarray(0, end))
    await written(directory, 'd')
    const cut = end - start
    expect(toolsOf(directory, DAY)).toEqual(cut === 0 ? ['a', 'b', 'd'] : ['a', 'b', 'audit_tail_torn', 'd'])
    if (cut > 0) {
      expect(recordsOf(directory, DAY)[2]).toMatchObject({ bytes: cut, seq: 2, result: 'OK' })
      expect(readFileSync(join(directory, `${DAY}.torn`))).toEqual(bytes.subarray(start, end))
    }
    expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', fromTheBeginning: true })
  }
})

test('a file with nothing but a torn line begins anew', async () => {
  const directory = newDirectory()
  writeFileSync(join(directory, FILE), '{"caller_')
  await written(directory, 'a')
  expect(toolsOf(directory, DAY)).toEqual(['audit_tail_torn', 'a'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', fromTheBeginning: true, tornTails: 1 })
})

test('whole lines at the end that are no records are set aside with the rest', async () => {
  const directory = newDirectory()
  await written(directory, 'a')
  const garbage = `${'\0'.repeat(100)}\nnot json\n{"seq":1}\n{"half`
  appendFileSync(join(directory, FILE), garbage)
  await written(directory, 'b')
  expect(toolsOf(directory, DAY)).toEqual(['a', 'audit_tail_torn', 'b'])
  expect(readFileSync(join(directory, `${DAY}.torn`), 'utf8')).toBe(garbage)
})

test('a bad line with good ones after it stays for verification to name', async () => {
  const directory = newDirectory()
  await written(directory, 'a', 'b', 'c')
  const text = readFileSync(join(directory, FILE), 'utf8')
  writeFileSync(join(directory, FILE), text.replace('"tool":"b"', '"tool:"b"'))
  await written(directory, 'd')
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'broken', line: 2, problem: 'bad_json' })
  expect(existsSync(join(directory, `${DAY}.torn`))).toBe(false)
})

test('what was torn at several times stands one after the other, for its owner alone', async () => {
  const directory = newDirectory()
  for (const torn of ['one', 'two']) {
    await written(directory, 'a')
    appendFileSync(join(directory, FILE), torn)
  }
  await written(directory, 'b')
  expect(readFileSync(join(directory, `${DAY}.torn`), 'utf8')).toBe('onetwo')
  expect(statSync(join(directory, `${DAY}.torn`)).mode & 0o777).toBe(0o600)
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', tornTails: 2 })
})

test('a torn tail longer than any window is set aside whole', async () => {
  const directory = newDirectory()
  await written(directory, 'a')
  appendFileSync(join(directory, FILE), 'x'.repeat(300_000))
  await written(directory, 'b')
  expect(recordsOf(directory, DAY)[1]).toMatchObject({ tool: 'audit_tail_torn', bytes: 300_000 })
})

test('a tail torn by another process is set aside by one that was already running', async () => {
  const directory = newDirectory()
  const log = openLog(directory, new HandClock(`${DAY}T10:00:00.000Z`))
  await log.append(entry('a'))
  appendFileSync(join(directory, FILE), '{"half')
  await log.append(entry('b'))
  expect(toolsOf(directory, DAY)).toEqual(['a', 'audit_tail_torn', 'b'])
})

test('a day that ended torn is mended before it is closed', async () => {
  const directory = newDirectory()
  await written(directory, 'a')
  appendFileSync(join(directory, FILE), '{"half')
  await openLog(directory, new HandClock('2026-05-07T00:00:01.000Z')).append(entry('b'))
  expect(toolsOf(directory, DAY)).toEqual(['a', 'audit_tail_torn', 'eof_day'])
  expect(toolsOf(directory, '2026-05-07')).toEqual(['b'])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', records: 4 })
})

test('a torn tail is a bad record as long as nobody has set it aside', async () => {
  const directory = newDirectory()
  await written(directory, 'a')
  appendFileSync(join(directory, FILE), '{"half')
  expect(await verifyAuditDirectory(directory)).toMatchObject({
    kind: 'broken',
    file: FILE,
    line: 2,
    problem: 'missing_newline',
  })
})

test('a file that became shorter under a running server does not heal', async () => {
  const directory = newDirectory()
  const log = openLog(directory, new HandClock(`${DAY}T10:00:00.000Z`))
  await log.append(entry('a'))
  const { size } = statSync(join(directory, FILE))
  copyFileSync(join(directory, FILE), join(directory, 'kept'))
  await log.append(entry('b'))
  truncateSync(join(directory, FILE), size)
  await log.append(entry('c'))
  await log.append(entry('d'))
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'broken', line: 1, problem: 'altered' })
})
