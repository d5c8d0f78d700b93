import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecretStore } from '../../src/adapters/secrets/store.ts'
import type { SecretStore } from '../../src/ports/secrets.ts'
import { failureOf, newDirectory, put, SECRET } from './scene.ts'

const env = { PATH: process.env['PATH'] }
let gnupghome: string
let stranger: string
let recipient: string

beforeAll(() => {
  gnupghome = newKeyring()
  stranger = newKeyring()
  const key = [
    '--passphrase',
    '',
    '--quick-gen-key',
    'Tester <tester@example.com>',
    'future-default',
    'default',
    'never',
  ]
  execFileSync('gpg', ['--batch', '--quiet', ...key], { env: { ...env, GNUPGHOME: gnupghome }, stdio: 'pipe' })
  const listed = execFileSync('gpg', ['--list-keys', '--with-colons'], {
    env: { ...env, GNUPGHOME: gnupghome },
    stdio: 'pipe',
  })
  recipient = /^fpr:+([0-9A-F]{40}):/m.exec(listed.toString())?.[1] ?? ''
})

afterAll(() => {
  for (const home of [gnupghome, stranger]) {
    execFileSync('gpgconf', ['--kill', 'all'], { env: { ...env, GNUPGHOME: home } })
    rmSync(home, { recursive: true, force: true })
  }
})

/** Its path is short: the agent's socket is in it. */
function newKeyring(): string {
  return mkdtempSync(join(tmpdir(), 'gpg-'))
}

function storeAt(path: string, settings: { recipient?: string; gnupghome?: string } = { recipient }): SecretStore {
  return createSecretStore({ backend: 'gpg_file', path, gnupghome, ...settings }, env)
}

function gpg(input: string, ...options: string[]): Uint8Array {
  return execFileSync('gpg', ['--batch', '--quiet', '--trust-model=always', ...options], {
    input,
    env: { ...env, GNUPGHOME: gnupghome },
    stdio: 'pipe',
  })
}

test('reads what a person encrypted, in either form', async () => {
  const root = newDirectory()
  put(root, 'accounts/a/password.gpg', gpg(`${SECRET}\n`, '-r', recipient, '-e'))
  put(root, 'armoured.asc', gpg('another\n', '-r', recipient, '-a', '-e'))
  expect(await storeAt(root).read('secret://accounts/a/password')).toBe(SECRET)
  expect(await storeAt(root).read('secret://armoured')).toBe('another')
})

test('finds the keyring of the environment where the settings name none', async () => {
  const root = newDirectory()
  put(root, 'a.gpg', gpg(SECRET, '-r', recipient, '-e'))
  const store = createSecretStore({ backend: 'gpg_file', path: root }, { ...env, GNUPGHOME: gnupghome })
  expect(await store.read('secret://a')).toBe(SECRET)
})

test('what is written is encrypted, read back, for its owner alone', async () => {
  const root = join(newDirectory(), 'secrets')
  const store = storeAt(root)
  expect(store.writable).toBe(true)
  await store.write('secret://a/b', 'first')
  await store.write('secret://a/b', SECRET)
  expect(await store.read('secret://a/b')).toBe(SECRET)
  expect(readdirSync(join(root, 'a'))).toEqual(['b.gpg'])
  expect(readFileSync(join(root, 'a/b.gpg')).includes(SECRET)).toBe(false)
  expect(statSync(join(root, 'a/b.gpg')).mode & 0o777).toBe(0o600)
  expect(statSync(root).mode & 0o777).toBe(0o700)
})

test('the largest secret makes the round trip', async () => {
  const store = storeAt(newDirectory())
  const secret = Array.from({ length: 65_536 }, (_, index) => (index * 7919).toString(36).at(-1)).join('')
  await store.write('secret://a', secret)
  expect(await store.read('secret://a')).toBe(secret)
})

test('an armoured file is replaced by an armoured one', async () => {
  const root = newDirectory()
  put(root, 'a.asc', gpg('old', '-r', recipient, '-a', '-e'))
  await storeAt(root).write('secret://a', SECRET)
  expect(readdirSync(root)).toEqual(['a.asc'])
  expect(readFileSync(join(root, 'a.asc'), 'utf8')).toContain('BEGIN PGP MESSAGE')
  expect(await storeAt(root).read('secret://a')).toBe(SECRET)
})

test('of two files the binary one is read, and that is told', async () => {
  const root = newDirectory()
  put(root, 'a.asc', gpg('stale', '-r', recipient, '-a', '-e'))
  expect(await storeAt(root).warnings(['secret://a'])).toEqual([])
  put(root, 'a.gpg', gpg(SECRET, '-r', recipient, '-e'))
  expect(await storeAt(root).read('secret://a')).toBe(SECRET)
  expect((await storeAt(root).warnings(['secret://a', 'secret://a'])).length).toBe(1)
})

test('without a recipient nothing is written', async () => {
  const root = newDirectory()
  const store = storeAt(root, {})
  expect(store.writable).toBe(false)
  expect((await failureOf(store.write('secret://a', SECRET), 'unsupported')).message).toContain('recipient')
  expect(readdirSync(root)).toEqual([])
})

test.each(['nobody@example.com', '--output', '-', ''])('a recipient %j that has no key', async (unknown) => {
  const root = newDirectory()
  put(root, 'a.gpg', 'as it was')
  await failureOf(storeAt(root, { recipient: unknown }).write('secret://a', SECRET), 'unavailable')
  expect(readdirSync(root)).toEqual(['a.gpg'])
  expect(readFileSync(join(root, 'a.gpg'), 'utf8')).toBe('as it was')
})

test('a keyring without the key', async () => {
  const root = newDirectory()
  put(root, 'a.gpg', gpg(SECRET, '-r', recipient, '-e'))
  const failure = await failureOf(storeAt(root, { gnupghome: stranger }).read('secret://a'), 'unavailable')
  expect(failure.message).toContain('no usable key')
})

test('a file damaged or cut short anywhere gives nothing', async () => {
  const root = newDirectory()
  const whole = gpg(SECRET, '-r', recipient, '-e')
  const read = (bytes: Uint8Array): Promise<unknown> => {
    put(root, 'a.gpg', bytes)
    return storeAt(root)
      .read('secret://a')
      .catch((error: unknown) => error)
  }
  const places = Array.from({ length: 8 }, (_, index) => Math.floor(((index + 0.5) * whole.length) / 8))
  for (const at of [...places, whole.length - 3]) {
    const changed = Uint8Array.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 0xff
    expect(await read(changed)).toMatchObject({
      name: 'Failure',
      code: expect.stringMatching(/unreadable|unavailable/),
    })
    expect(await read(whole.subarray(0, at))).toMatchObject({ name: 'Failure' })
  }
  expect(await read(whole)).toBe(SECRET)
})

test('what was never encrypted is not taken for a secret', async () => {
  const root = newDirectory()
  put(root, 'stored.gpg', gpg(SECRET, '--store'))
  put(root, 'signed.gpg', gpg(SECRET, '--sign'))
  put(root, 'plain.gpg', SECRET)
  put(root, 'empty.gpg', '')
  for (const name of ['stored', 'signed']) {
    const failure = await failureOf(storeAt(root).read(`secret://${name}`), 'unreadable')
    expect(failure.message).toContain('not encrypted')
  }
  await failureOf(storeAt(root).read('secret://plain'), 'unreadable')
  await failureOf(storeAt(root).read('secret://empty'), 'unreadable')
})

test('a small file that unpacks to much is stopped', async () => {
  const root = newDirectory()
  put(root, 'a.gpg', gpg('x'.repeat(20_000_000), '-r', recipient, '-e'))
  expect(statSync(join(root, 'a.gpg')).size).toBeLessThan(100_000)
  await failureOf(storeAt(root).read('secret://a'), 'too_large')
})

test('a machine without gpg is told so', async () => {
  const root = newDirectory()
  put(root, 'a.gpg', 'x')
  const store = createSecretStore({ backend: 'gpg_file', path: root, recipient }, { PATH: root })
  expect((await failureOf(store.read('secret://a'), 'unavailable')).message).toContain('install GnuPG')
  await failureOf(store.write('secret://b', SECRET), 'unavailable')
  expect(readdirSync(root)).toEqual(['a.gpg'])
})

test('gpg sees no secret in its arguments or environment', async () => {
  const root = newDirectory()
  const bin = join(root, 'bin')
  mkdirSync(bin)
  // The real gpg, with what it was given written down beside it.
  const real = execFileSync('sh', ['-c', 'command -v gpg'], { env }).toString().trim()
  const spy = `#!/bin/sh\n{ printf '%s\\n' "$@"; env; } >> "${root}/seen"\nexec "${real}" "$@"\n`
  writeFileSync(join(bin, 'gpg'), spy, { mode: 0o755 })
  const settings = { backend: 'gpg_file', path: join(root, 'store'), recipient, gnupghome } as const
  const spied = { PATH: `${bin}:${env.PATH}`, IMAP_MCP_SECRET__A: SECRET, MAIL_IMAP_DEFAULT_PASS: SECRET }
  const store = createSecretStore(settings, spied)
  await store.write('secret://a', SECRET)
  expect(await store.read('secret://a')).toBe(SECRET)
  const seen = readFileSync(join(root, 'seen'), 'utf8')
  expect(seen).toContain('--decrypt')
  expect(seen).toContain(`GNUPGHOME=${gnupghome}`)
  expect(seen).not.toContain(SECRET)
})

test('refs and links are guarded as those of plain files are', async () => {
  const directory = newDirectory()
  put(directory, 'outside.gpg', gpg(SECRET, '-r', recipient, '-e'))
  const root = join(directory, 'root')
  mkdirSync(root)
  symlinkSync('../outside.gpg', join(root, 'a.gpg'))
  await failureOf(storeAt(root).read('secret://../outside'), 'invalid_input')
  await failureOf(storeAt(root).read('secret://a'), 'rejected')
  await failureOf(storeAt(root).read('secret://absent'), 'not_found')
  await failureOf(storeAt(join(root, 'nowhere')).read('secret://a'), 'unavailable')
})
