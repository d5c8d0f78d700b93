import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSeal } from './seal.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'seal-'))
})

afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})

test('whatever is sealed opens as it was', async () => {
  const seal = createSeal({ directory })
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 2000 }), async (text) => {
      expect(await seal.open(await seal.seal(text))).toBe(text)
    }),
  )
})

test('long repetitive text becomes shorter than it is', async () => {
  const text = JSON.stringify(
    Array.from({ length: 50 }, (_, uid) => ({ uid: 1000 + uid, received: 1_700_000_000 + uid })),
  )
  expect((await createSeal({ directory }).seal(text)).length).toBeLessThan(text.length / 2)
})

test('nobody reads in a token what was sealed', async () => {
  const seal = createSeal({ directory })
  for (const text of ['canary', `canary ${'canary '.repeat(100)}`]) {
    const [payload = ''] = (await seal.seal(text)).slice(1).split('.')
    const bytes = Buffer.from(payload, 'base64url')
    expect(bytes.toString('latin1')).not.toContain('canary')
    let inflated = ''
    try {
      inflated = inflateRawSync(bytes).toString('latin1')
    } catch {}
    expect(inflated).not.toContain('canary')
  }
})

test('a token with any character changed, cut or added does not open', async () => {
  const seal = createSeal({ directory })
  for (const text of ['', 'short', 'long '.repeat(100)]) {
    const token = await seal.seal(text)
    const changed = [...token].flatMap((char, at) =>
      [char === 'A' ? 'B' : 'A', '', `${char}x`, ' '].map((other) => token.slice(0, at) + other + token.slice(at + 1)),
    )
    for (const wrong of [...changed, '', '.', token.toUpperCase(), `${token}\n`, `${token}=`]) {
      await expect(seal.open(wrong)).rejects.toMatchObject({ code: 'invalid_input' })
    }
  }
})

test('every spelling of the last character but ours is refused', async () => {
  const seal = createSeal({ directory })
  const token = await seal.seal('text')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const opened = await Promise.all(
    [...alphabet].map((last) =>
      seal.open(token.slice(0, -1) + last).then(
        () => last,
        () => '',
      ),
    ),
  )
  expect(opened.join('')).toBe(token.slice(-1))
})

test('one process opens what another one sealed, though all made the key at once', async () => {
  const seals = Array.from({ length: 20 }, () => createSeal({ directory }))
  const tokens = await Promise.all(seals.map((seal, index) => seal.seal(`from ${index}`)))
  const other = createSeal({ directory })
  expect(await Promise.all(tokens.map((token) => other.open(token)))).toEqual(seals.map((_, index) => `from ${index}`))
  expect(readdirSync(directory)).toEqual(['seal.key'])
})

test('another data directory has another key', async () => {
  const elsewhere = createSeal({ directory: join(directory, 'elsewhere') })
  const token = await elsewhere.seal('text')
  await expect(createSeal({ directory }).open(token)).rejects.toMatchObject({ code: 'invalid_input' })
})

test('the key is nobody else’s to read', async () => {
  await createSeal({ directory: join(directory, 'data') }).seal('text')
  expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, 'data/seal.key')).mode & 0o777).toBe(0o600)
  expect(statSync(join(directory, 'data/seal.key')).size).toBe(32)
})

test('a damaged key is said so and not used', async () => {
  writeFileSync(join(directory, 'seal.key'), 'short')
  await expect(createSeal({ directory }).seal('text')).rejects.toMatchObject({ code: 'unavailable' })
})

test('a key that could not be made is tried again', async () => {
  const blocked = join(directory, 'data')
  writeFileSync(blocked, '')
  const seal = createSeal({ directory: blocked })
  await expect(seal.seal('text')).rejects.toMatchObject({ code: 'unavailable' })
  rmSync(blocked)
  expect(await seal.open(await seal.seal('text'))).toBe('text')
})

test('a digest is SHA-256 in hex', () => {
  expect(createSeal({ directory }).digest('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})
