import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createSpool } from './spool.ts'

const ID = '3f0c1b52-8d6e-4b1f-9f0e-2f6f1f2a7c10'
const OTHER = '3f0c1b52-8d6e-4b1f-9f0e-2f6f1f2a7c11'
const MESSAGE = Buffer.from('From: a@example.org\r\n\r\nhello\r\n')

function newPlace(): string {
  const home = mkdtempSync(join(tmpdir(), 'spool-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return join(home, 'state', 'spool')
}

test('what was written is read back, byte for byte', async () => {
  const spool = createSpool({ directory: newPlace() })
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100_000 }), fc.uuid(), async (bytes, txId) => {
      await spool.write([{ txId, bytes }])
      const read = await spool.read(txId)
      expect(read !== undefined && Buffer.compare(read, bytes)).toBe(0)
    }),
    { numRuns: 30 },
  )
})

test('many written together are read back one by one, and each goes alone', async () => {
  const directory = newPlace()
  const spool = createSpool({ directory })
  const ids = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(ids, fc.uint8Array({ minLength: 1, maxLength: 3000 }), fc.nat(), async (txIds, seed, which) => {
      const messages = txIds.map((txId, index) => ({ txId, bytes: Uint8Array.from(seed, (byte) => byte ^ index) }))
      await spool.write(messages)
      const gone = which % messages.length
      await spool.remove([txIds[gone] ?? ''])
      const read = await Promise.all(txIds.map((txId) => spool.read(txId)))
      expect(read.map((bytes) => bytes && [...bytes])).toEqual(
        messages.map(({ bytes }, index) => (index === gone ? undefined : [...bytes])),
      )
      await spool.remove(txIds)
      expect(readdirSync(directory)).toEqual([])
    }),
    { numRuns: 30 },
  )
})

test('more than one file should hold are written, and one that is there already is replaced', async () => {
  const directory = newPlace()
  const spool = createSpool({ directory })
  const txIds = Array.from({ length: 5 }, (_, index) => ID.replace(/0$/, `${index}`))
  await spool.write(txIds.map((txId) => ({ txId, bytes: MESSAGE })))
  const large = txIds.map((txId, index) => ({ txId, bytes: Buffer.alloc(2_000_000, index) }))
  await spool.write(large)
  for (const { txId, bytes } of large) expect(bytes.equals((await spool.read(txId)) ?? MESSAGE)).toBe(true)
  expect(readdirSync(directory).sort()).toEqual(txIds.map((txId) => `${txId}.msg`))
  await spool.write([])
})

test('of several in one file, those that were spoiled are none, and no other is taken for one', async () => {
  const directory = newPlace()
  const spool = createSpool({ directory })
  await spool.write([
    { txId: ID, bytes: MESSAGE },
    { txId: OTHER, bytes: Buffer.from('the other one') },
  ])
  const path = join(directory, `${ID}.msg`)
  const whole = readFileSync(path)
  for (let at = 0; at < whole.length; at += 1) {
    const spoiled = Buffer.from(whole)
    spoiled[at] = (spoiled[at] ?? 0) ^ 1
    writeFileSync(path, spoiled)
    const read = await Promise.all([spool.read(ID), spool.read(OTHER)])
    expect([undefined, `${MESSAGE}`]).toContain(read[0]?.toString())
    expect([undefined, 'the other one']).toContain(read[1]?.toString())
    expect(read).toContain(undefined)
  }
})

test('files and the directory made for them are their owner’s alone, and nothing else is left there', async () => {
  const directory = newPlace()
  await createSpool({ directory }).write([{ txId: ID, bytes: MESSAGE }])
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  const names = readdirSync(directory)
  expect(names).toHaveLength(1)
  expect(statSync(join(directory, names[0] ?? '')).mode & 0o777).toBe(0o600)
})

test('one that was never written, or was removed, is none', async () => {
  const directory = newPlace()
  const spool = createSpool({ directory })
  expect(await spool.read(ID)).toBeUndefined()
  await spool.remove([ID])
  await spool.keepOnly(new Set())
  await spool.write([{ txId: ID, bytes: MESSAGE }])
  await spool.write([{ txId: OTHER, bytes: MESSAGE }])
  await spool.remove([ID])
  expect(await spool.read(ID)).toBeUndefined()
  expect(await spool.read(OTHER)).toBeDefined()
  expect(readdirSync(directory)).toHaveLength(1)
})

test('a file that is cut anywhere, zeroed or changed in one bit is none', async () => {
  const directory = newPlace()
  const spool = createSpool({ directory })
  await spool.write([{ txId: ID, bytes: MESSAGE }])
  const path = join(directory, `${ID}.msg`)
  const whole = readFileSync(path)
  for (let size = 0; size < whole.length; size += 1) {
    writeFileSync(path, whole)
    truncateSync(path, size)
    expect(await spool.read(ID)).toBeUndefined()
    const spoiled = Buffer.from(whole)
    spoiled[size] = (spoiled[size] ?? 0) ^ 1
    writeFileSync(path, spoiled)
    expect(await spool.read(ID)).toBeUndefined()
  }
  writeFileSync(path, Buffer.alloc(whole.length))
  expect(await spool.read(ID)).toBeUndefined()
  await spool.write([{ txId: ID, bytes: MESSAGE }])
  expect(await spool.read(ID)).toEqual(MESSAGE)
})

test('a second write replaces the first, and many at once leave one of them whole', async () => {
  const spool = createSpool({ directory: newPlace() })
  const texts = Array.from({ length: 20 }, (_, index) => Buffer.alloc(50_000, index))
  await Promise.all(texts.map((text) => spool.write([{ txId: ID, bytes: text }])))
  const read = await spool.read(ID)
  expect(texts.some((text) => read !== undefined && text.equals(read))).toBe(true)
  await spool.write([{ txId: ID, bytes: MESSAGE }])
  expect(await spool.read(ID)).toEqual(MESSAGE)
})

test('tidying up removes what belongs to nobody, drafts left by a crash too, and touches no file that is not ours', async () => {
  const directory = newPlace()
  const spool = createSpool({ directory })
  await spool.write([{ txId: ID, bytes: MESSAGE }])
  await spool.write([{ txId: OTHER, bytes: MESSAGE }])
  const left = `${OTHER}.msg.${ID}.tmp`
  const underWay = `${OTHER}.msg.${OTHER}.tmp`
  const kept = [`${ID}.msg`, `${ID}.msg.${OTHER}.tmp`, 'notes.txt', 'x.msg', underWay]
  for (const name of [left, ...kept.slice(1)]) writeFileSync(join(directory, name), 'x')
  utimesSync(join(directory, left), 1000, 1000)
  await spool.keepOnly(new Set([ID]))
  expect(readdirSync(directory).sort()).toEqual([...kept].sort())
})

test('another that tidies up all the time makes no write fail', async () => {
  const directory = newPlace()
  const spool = createSpool({ directory })
  let writing = true
  const tidying = (async () => {
    while (writing) await spool.keepOnly(new Set())
  })()
  for (let count = 0; count < 200; count += 1) await spool.write([{ txId: ID, bytes: MESSAGE }])
  writing = false
  await tidying
})

test.each(['', '..', '../x', 'a/b', ID.toUpperCase(), `${ID}\n`, `${ID}/../x`, `x${ID}`])(
  '%j is no name',
  async (txId) => {
    const directory = newPlace()
    const spool = createSpool({ directory })
    await expect(spool.write([{ txId, bytes: MESSAGE }])).rejects.toThrow('UUID')
    await expect(spool.read(txId)).rejects.toThrow('UUID')
    await expect(spool.remove([txId])).rejects.toThrow('UUID')
    expect(existsSync(directory)).toBe(false)
  },
)

test('a directory that is something else is told in our words', async () => {
  const directory = newPlace()
  mkdirSync(join(directory, '..'), { recursive: true })
  writeFileSync(directory, 'not a directory')
  const told = { code: 'unavailable', stage: 'spool', message: expect.stringContaining('cannot be kept') }
  await expect(createSpool({ directory }).write([{ txId: ID, bytes: MESSAGE }])).rejects.toMatchObject(told)
})

test('a directory that may not be written is told in our words', async ({ skip }) => {
  if (process.getuid?.() === 0) return skip('everything may be written here')
  const directory = newPlace()
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o500)
  const told = { code: 'unavailable', message: expect.stringContaining('may not be used') }
  await expect(createSpool({ directory }).write([{ txId: ID, bytes: MESSAGE }])).rejects.toMatchObject(told)
})
