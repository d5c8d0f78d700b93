import { generateKeyPairSync } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AuditFiles } from '../../src/adapters/audit/audit-log.ts'
import { systemDisk } from '../../src/adapters/audit/disk.ts'
import { givenKey, judgeNote, openSigner } from '../../src/adapters/audit/key.ts'
import { sha256 } from '../../src/adapters/audit/tail.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { chain, GENESIS, type Place } from '../../src/core/audit/chain.ts'
import { readCheckpointText } from '../../src/core/audit/checkpoint.ts'
import { readNotes } from '../../src/core/audit/note.ts'
import { entry, HandClock, newDirectory, openLog, silent, toolsOf } from './scene.ts'

const DAY = '2026-05-06'
const NEXT = '2026-05-07'
const at = (day: string): HandClock => new HandClock(`${day}T12:00:00.000Z`)
const NEVER = 3_600_000

interface Scene {
  /** Holds the key; the record is in `audit/`. */
  readonly home: string
  readonly audit: string
  open(clock?: HandClock, records?: number, ms?: number): AuditFiles
}

function newScene(): Scene {
  const home = newDirectory()
  const audit = join(home, 'audit')
  mkdirSync(audit, { mode: 0o700 })
  const open = (clock = at(DAY), records = 4, ms = NEVER): AuditFiles =>
    openLog(audit, clock, systemDisk, { keyDirectory: home, checkpointEvery: { records, ms } })
  return { home, audit, open }
}

const checkpoints = (audit: string, day = DAY): string => join(audit, `${day}.ckpt`)
const records = (audit: string, day = DAY): string => join(audit, `${day}.jsonl`)

function sizes(audit: string, day = DAY): (number | undefined)[] {
  const { notes } = readNotes(readFileSync(checkpoints(audit, day), 'utf8'))
  return notes.map(({ text }) => readCheckpointText(text)?.size)
}

/** A checkpoint that is due after a record is there when the next one is acknowledged. */
async function append(log: AuditFiles, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await log.append(entry(`t${i}`))
}

/** So many records, closed: all of them are covered. */
async function written(scene: Scene, count: number): Promise<void> {
  const log = scene.open()
  await append(log, count)
  await log.close()
}

test('keys and notes are those of other programs that speak C2SP', async () => {
  const key = await givenKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k')
  const note =
    'This is an example message.\n\n' +
    '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n\n'
  const [read] = readNotes(note).notes
  if (read === undefined) throw new Error('one note')
  expect(judgeNote(read, key)).toBe('trusted')
  expect(judgeNote({ ...read, text: 'This is another message.\n' }, key)).toBe('forged')
  expect(judgeNote({ ...read, signatures: [] }, key)).toBe('unknown')
})

test('a key whose id is not its own is refused', async () => {
  const wrong = 'example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
  await expect(givenKey(wrong)).rejects.toMatchObject({ code: 'invalid_input' })
  await expect(givenKey('no key and no file')).rejects.toMatchObject({ code: 'invalid_input' })
})

test('processes that start at once make one key, for its owner alone', async () => {
  const home = newDirectory()
  const signers = await Promise.all(Array.from({ length: 8 }, () => openSigner(home, silent)))
  expect(new Set(signers.map(({ key }) => key.id)).size).toBe(1)
  expect(readdirSync(home).sort()).toEqual(['audit.key', 'audit.pub'])
  expect(statSync(join(home, 'audit.key')).mode & 0o777).toBe(0o600)
  expect((await givenKey(join(home, 'audit.pub'))).id).toBe(signers[0]?.key.id)
})

test('every so many records are signed, and what is left when the log is closed', async () => {
  const scene = newScene()
  const log = scene.open()
  await append(log, 10)
  expect(sizes(scene.audit)).toEqual([4, 8])
  await log.close()
  expect(sizes(scene.audit)).toEqual([4, 8, 10])
  expect(statSync(checkpoints(scene.audit)).mode & 0o777).toBe(0o600)
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({
    kind: 'intact',
    key: { kind: 'found' },
    attestation: { trusted: 3, unknown: 0, unproved: 0 },
  })
})

test('a restart and another process go on signing where there is something new, and only there', async () => {
  const scene = newScene()
  await written(scene, 2)
  await scene.open().close()
  const [one, other] = [scene.open(), scene.open()]
  for (let i = 0; i < 6; i += 1) await Promise.all([one.append(entry('a')), other.append(entry('b'))])
  await Promise.all([one.close(), other.close()])
  const signed = sizes(scene.audit)
  expect(signed).toEqual(signed.toSorted((a = 0, b = 0) => a - b))
  expect(signed[0]).toBe(2)
  expect(signed.at(-1)).toBe(14)
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact', attestation: { unproved: 0 } })
})

test('records are signed some time after the first of them, without another one coming', async () => {
  const scene = newScene()
  const log = scene.open(at(DAY), 1000, 20)
  await append(log, 3)
  await expect.poll(() => sizes(scene.audit).at(-1)).toBe(3)
})

test('by default, 256 records are signed, and what is there after a minute', async () => {
  const [many, few] = [newScene(), newScene()]
  const usual = ({ home, audit }: Scene): AuditFiles => openLog(audit, at(DAY), systemDisk, { keyDirectory: home })
  const log = usual(many)
  await log.append(entry('a'))
  await Promise.all(Array.from({ length: 254 }, () => log.append(entry('b'))))
  expect(readdirSync(many.audit)).not.toContain(`${DAY}.ckpt`)
  await log.append(entry('b'))
  // A checkpoint that is due is there when the next record is acknowledged.
  await log.append(entry('c'))
  expect(sizes(many.audit)).toEqual([256])

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await append(usual(few), 3)
  await vi.advanceTimersByTimeAsync(59_999)
  expect(readdirSync(few.audit)).not.toContain(`${DAY}.ckpt`)
  await vi.advanceTimersByTimeAsync(1)
  vi.useRealTimers()
  await expect.poll(() => readdirSync(few.audit)).toContain(`${DAY}.ckpt`)
  await expect.poll(() => sizes(few.audit)).toEqual([3])
})

test("a day's end is signed with its eof_day, and its checkpoints are closed too", async () => {
  const scene = newScene()
  const clock = at(DAY)
  const log = scene.open(clock, 1000)
  await append(log, 3)
  clock.set(`${NEXT}T00:00:01.000Z`)
  await append(log, 1)
  expect(toolsOf(scene.audit, DAY)).toHaveLength(4)
  expect(sizes(scene.audit)).toEqual([4])
  expect(statSync(checkpoints(scene.audit)).mode & 0o777).toBe(0o400)
  await log.close()
  expect(sizes(scene.audit, NEXT)).toEqual([1])
})

test('where a crash kept the end of a day from being signed, the next process does it', async () => {
  const scene = newScene()
  const unsigned = openLog(scene.audit, at(DAY))
  await unsigned.append(entry('a'))
  await openLog(scene.audit, at(NEXT)).endDay()
  await append(scene.open(at(NEXT)), 1)
  expect(sizes(scene.audit)).toEqual([2])
})

test('wherever the last checkpoint was cut, the next one follows the last whole one', async () => {
  const whole = newScene()
  await written(whole, 2)
  const first = readFileSync(checkpoints(whole.audit)).length
  await written(whole, 1)
  const bytes = readFileSync(checkpoints(whole.audit))
  const lines = readFileSync(records(whole.audit))
  for (let end = first; end < bytes.length; end += 7) {
    const scene = newScene()
    writeFileSync(records(scene.audit), lines)
    writeFileSync(checkpoints(scene.audit), bytes.subarray(0, end))
    await written(scene, 1)
    expect(sizes(scene.audit)).toEqual([2, 4])
  }
})

test('a key that cannot be read stops no record', async () => {
  const scene = newScene()
  writeFileSync(join(scene.home, 'audit.key'), 'nonsense')
  await written(scene, 9)
  expect(toolsOf(scene.audit, DAY)).toHaveLength(9)
  expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact', key: { kind: 'none' } })
})

test('a full disk for checkpoints stops no record, and signing goes on later', async () => {
  const scene = newScene()
  let full = true
  const files = new Set<number>()
  const disk = {
    ...systemDisk,
    async open(path: string, flags: number, mode: number) {
      const fd = await systemDisk.open(path, flags, mode)
      if (path.endsWith('.ckpt')) files.add(fd)
      else files.delete(fd)
      return fd
    },
    async write(fd: number, bytes: Uint8Array, position: number) {
      if (!full || !files.has(fd)) return systemDisk.write(fd, bytes, position)
      await systemDisk.write(fd, bytes.subarray(0, 20), position)
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    },
  }
  const pace = { keyDirectory: scene.home, checkpointEvery: { records: 4, ms: NEVER } }
  const log = openLog(scene.audit, at(DAY), disk, pace)
  await append(log, 9)
  expect(sizes(scene.audit)).toEqual([])
  full = false
  await append(log, 4)
  expect(sizes(scene.audit)).toEqual([12])
})

describe('what checkpoints find', () => {
  test('the end cut off', async () => {
    const scene = newScene()
    await written(scene, 10)
    const text = readFileSync(records(scene.audit), 'utf8').split(/(?<=\n)/)
    for (const left of [9, 7, 1, 0]) {
      writeFileSync(records(scene.audit), text.slice(0, left).join(''))
      expect(await verifyAuditDirectory(scene.audit)).toMatchObject({
        kind: 'broken',
        file: `${DAY}.jsonl`,
        line: left + 1,
        problem: 'cut_short',
      })
    }
  })

  test('the file gone', async () => {
    const scene = newScene()
    await written(scene, 5)
    rmSync(records(scene.audit))
    const found = { kind: 'broken', file: `${DAY}.jsonl`, problem: 'missing_file' }
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject(found)
    await append(scene.open(at(NEXT)), 1)
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject(found)
  })

  test('all of it written anew, chain and all', async () => {
    const scene = newScene()
    await written(scene, 6)
    let place: Place = GENESIS
    let forged = ''
    for (let i = 0; i < 6; i += 1) {
      const { line, next } = chain(entry(i === 1 ? 'harmless' : `t${i}`), place, sha256)
      forged += line
      place = next
    }
    writeFileSync(records(scene.audit), forged)
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'broken', line: 4, problem: 'not_as_signed' })
  })

  test('a checkpoint changed in any byte', async () => {
    const scene = newScene()
    await written(scene, 6)
    const bytes = readFileSync(checkpoints(scene.audit))
    // Where the key's name or id is changed it is another key's; the end of the last one may have been cut.
    const outcomes = { broken: 0, unknown: 0 }
    for (let byte = 0; byte < bytes.length - 2; byte += 1) {
      const changed = Buffer.from(bytes)
      changed[byte] = (changed[byte] ?? 0) ^ 1
      writeFileSync(checkpoints(scene.audit), changed)
      const found = await verifyAuditDirectory(scene.audit)
      const lost = found.kind === 'intact' && found.attestation.trusted < 2
      expect(found.kind === 'broken' || lost).toBe(true)
      outcomes[lost ? 'unknown' : 'broken'] += 1
    }
    expect(outcomes.broken).toBeGreaterThan(outcomes.unknown)
  })
})

describe('what is said when proof is missing', () => {
  test('records after the last checkpoint', async () => {
    const scene = newScene()
    await append(scene.open(), 6)
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ attestation: { trusted: 1, unproved: 2 } })
  })

  test('checkpoints that are gone', async () => {
    const scene = newScene()
    await written(scene, 6)
    await append(scene.open(at(NEXT)), 5)
    rmSync(checkpoints(scene.audit))
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject({
      kind: 'intact',
      attestation: { trusted: 1, bareFiles: 1, unproved: 1 },
    })
  })

  test('a key that is gone', async () => {
    const scene = newScene()
    await written(scene, 6)
    rmSync(join(scene.home, 'audit.pub'))
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject({
      kind: 'intact',
      key: { kind: 'none' },
      attestation: { trusted: 0, unknown: 2, unproved: 6 },
    })
  })

  test('a key that was replaced; with the old one kept elsewhere it is a finding', async () => {
    const scene = newScene()
    await written(scene, 4)
    const kept = readFileSync(join(scene.home, 'audit.pub'), 'utf8')
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(join(scene.home, 'audit.key'), key)
    rmSync(join(scene.home, 'audit.pub'))
    await written(scene, 4)
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject({
      kind: 'intact',
      attestation: { trusted: 1, unknown: 1, unproved: 0 },
    })
    expect(await verifyAuditDirectory(scene.audit, { key: kept })).toMatchObject({
      kind: 'broken',
      file: `${DAY}.ckpt`,
      line: 8,
      problem: 'foreign_checkpoint',
    })
  })

  test('a key kept elsewhere proves as much as the one found here', async () => {
    const scene = newScene()
    await written(scene, 4)
    const elsewhere = join(newDirectory(), 'kept.pub')
    renameSync(join(scene.home, 'audit.pub'), elsewhere)
    expect(await verifyAuditDirectory(scene.audit, { key: elsewhere })).toMatchObject({
      kind: 'intact',
      key: { kind: 'given' },
      attestation: { trusted: 1, unproved: 0 },
    })
  })

  test('a last checkpoint that was cut is none, and no accusation', async () => {
    const scene = newScene()
    await written(scene, 6)
    truncateSync(checkpoints(scene.audit), statSync(checkpoints(scene.audit)).size - 30)
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'intact', attestation: { unproved: 2 } })
    appendFileSync(checkpoints(scene.audit), '\n\nnonsense\n\n')
    expect(await verifyAuditDirectory(scene.audit)).toMatchObject({ kind: 'broken', problem: 'bad_checkpoint' })
  })
})
