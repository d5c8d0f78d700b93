import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecretStore } from '../../src/adapters/secrets/store.ts'
import type { SecretStore } from '../../src/ports/secrets.ts'
import { failureOf, newDirectory, put, SECRET } from './scene.ts'

const storeAt = (path: string): SecretStore => createSecretStore({ backend: 'file_dir', path }, {})
const mode = (path: string): number => statSync(path).mode & 0o777

test('a secret is the file its ref names, read anew each time', async () => {
  const root = newDirectory()
  const store = storeAt(root)
  put(root, 'accounts/company-mail/password', SECRET)
  expect(await store.read('secret://accounts/company-mail/password')).toBe(SECRET)
  put(root, 'accounts/company-mail/password', 'another')
  expect(await store.read('secret://accounts/company-mail/password')).toBe('another')
})

test.each([
  ['x\n', 'x'],
  ['x\r\n', 'x'],
  ['x', 'x'],
  [' x ', ' x '],
  ['{\n  "a": 1\n}\n', '{\n  "a": 1\n}'],
  ['\ufeffx\n', 'x'],
  ['pässwörd', 'pässwörd'],
])('the file %j holds %j', async (content, secret) => {
  const root = newDirectory()
  put(root, 'a', content)
  expect(await storeAt(root).read('secret://a')).toBe(secret)
})

test.each([
  ['', 'it is empty'],
  ['\n', 'it is empty'],
  ['\r\n', 'it is empty'],
  [`${SECRET}\n\n`, 'line break'],
  [`${SECRET}\r`, 'line break'],
  [Uint8Array.of(0xff, 0xfe, 0x41, 0), 'not UTF-8'],
])('the file %j cannot be used', async (content, why) => {
  const root = newDirectory()
  put(root, 'a', content)
  expect((await failureOf(storeAt(root).read('secret://a'), 'unreadable')).message).toContain(why)
})

test('64 kB are a secret, one more byte is not', async () => {
  const root = newDirectory()
  const store = storeAt(root)
  const file = put(root, 'a', 'x'.repeat(65_536))
  expect(await store.read('secret://a')).toHaveLength(65_536)
  put(root, 'a', 'x'.repeat(65_537))
  await failureOf(store.read('secret://a'), 'too_large')
  truncateSync(file, 2 ** 40)
  await failureOf(store.read('secret://a'), 'too_large')
  await failureOf(store.write('secret://a', SECRET.repeat(10_000)), 'too_large')
})

const BAD_REFS = [
  '',
  SECRET,
  'secret:/a',
  'Secret://a',
  'secret://',
  'secret:///etc/passwd',
  'secret://a//b',
  'secret://a/',
  'secret://..',
  'secret://../outside',
  'secret://a/../../outside',
  'secret://a/./b',
  'secret://a\\..\\..\\outside',
  'secret://a\0',
  'secret://a\nb',
  'secret://a\ud800',
  `secret://${'a'.repeat(300)}`,
  `secret://${'a/'.repeat(100)}a`,
]

test.each(BAD_REFS)('the ref %j is refused', async (ref) => {
  const directory = newDirectory()
  put(directory, 'outside', SECRET)
  const root = join(directory, 'root')
  put(root, 'a/b', SECRET)
  const store = storeAt(root)
  await failureOf(store.read(ref), 'invalid_input')
  await failureOf(store.write(ref, SECRET), 'invalid_input')
  expect(readFileSync(join(directory, 'outside'), 'utf8')).toBe(SECRET)
  expect(readdirSync(directory).sort()).toEqual(['outside', 'root'])
})

test('percent signs are letters like any other', async () => {
  const directory = newDirectory()
  put(directory, 'outside', SECRET)
  const root = join(directory, 'root')
  mkdirSync(root)
  const store = storeAt(root)
  await failureOf(store.read('secret://%2e%2e/outside'), 'not_found')
  await failureOf(store.read('secret://%2e%2e%2foutside'), 'not_found')
  await store.write('secret://%2e%2e/outside', 'inside')
  expect(readFileSync(join(root, '%2e%2e', 'outside'), 'utf8')).toBe('inside')
})

test('links that stay inside are followed, and so is one to the directory itself', async () => {
  const directory = newDirectory()
  const root = join(directory, 'root')
  put(root, '..data_1/password', SECRET)
  symlinkSync('..data_1', join(root, '..data'))
  symlinkSync(join('..data', 'password'), join(root, 'password'))
  symlinkSync(root, join(directory, 'link'))
  for (const path of [root, join(directory, 'link'), `${root}/`]) {
    expect(await storeAt(path).read('secret://password')).toBe(SECRET)
    expect(await storeAt(path).read('secret://..data/password')).toBe(SECRET)
  }
})

test('links that lead out are refused, whichever part of the path they are', async () => {
  const directory = newDirectory()
  put(directory, 'outside/password', SECRET)
  const root = join(directory, 'root')
  mkdirSync(root)
  symlinkSync(join(directory, 'outside', 'password'), join(root, 'file'))
  symlinkSync('../outside', join(root, 'folder'))
  symlinkSync('..', join(root, 'up'))
  // Begins as the directory does, and is another one.
  put(directory, 'root-too/password', SECRET)
  symlinkSync('../root-too', join(root, 'beside'))
  symlinkSync('/dev/zero', join(root, 'device'))
  const store = storeAt(root)
  for (const path of ['file', 'folder/password', 'up/outside/password', 'beside/password', 'device']) {
    await failureOf(store.read(`secret://${path}`), 'rejected')
  }
  for (const path of ['folder/password', 'folder/new/password', 'up/outside/password', 'beside/password']) {
    await failureOf(store.write(`secret://${path}`, 'changed'), 'rejected')
  }
  expect(readFileSync(join(directory, 'outside/password'), 'utf8')).toBe(SECRET)
  expect(readdirSync(join(directory, 'outside'))).toEqual(['password'])
})

test('a link in the place of the secret is replaced, not followed', async () => {
  const directory = newDirectory()
  const outside = put(directory, 'outside', 'as it was')
  const root = join(directory, 'root')
  mkdirSync(root)
  symlinkSync(outside, join(root, 'a'))
  await storeAt(root).write('secret://a', SECRET)
  expect(readFileSync(outside, 'utf8')).toBe('as it was')
  expect(lstatSync(join(root, 'a')).isFile()).toBe(true)
})

/** Swaps the folder for the link and back, as fast as it can. */
const SWAPPING = `
  const { renameSync } = require('node:fs')
  const [folder, link, spare] = process.argv.slice(1)
  for (;;) {
    renameSync(folder, spare)
    renameSync(link, folder)
    renameSync(folder, link)
    renameSync(spare, folder)
  }`

test('while folders are swapped for links that lead out, nothing from outside is ever read', async () => {
  const directory = newDirectory()
  put(directory, 'outside/password', SECRET)
  const root = join(directory, 'root')
  put(root, 'folder/password', 'inside')
  symlinkSync('../outside', join(directory, 'link'))
  const store = storeAt(root)
  const places = ['root/folder', 'link', 'spare'].map((name) => join(directory, name))
  const swapping = spawn(process.execPath, ['-e', SWAPPING, ...places], { stdio: 'ignore' })
  const seen = new Map<string, number>()
  const read = async (): Promise<void> => {
    const answer = await store.read('secret://folder/password').catch(() => 'refused')
    seen.set(answer, (seen.get(answer) ?? 0) + 1)
  }
  try {
    // Until it was seen both ways, and then for long enough.
    for (let round = 0; round < 5000 || !seen.has('refused'); round++)
      await Promise.all([read(), read(), read(), read()])
  } finally {
    swapping.kill('SIGKILL')
    await once(swapping, 'close')
  }
  expect([...seen.keys()].sort()).toEqual(['inside', 'refused'])
})

test('pipes, folders and other things that are no files are refused at once', async () => {
  const root = newDirectory()
  execFileSync('mkfifo', [join(root, 'pipe')])
  mkdirSync(join(root, 'folder'))
  symlinkSync('circle', join(root, 'circle'))
  symlinkSync('nowhere', join(root, 'dangling'))
  const store = storeAt(root)
  await failureOf(store.read('secret://pipe'), 'unreadable')
  await failureOf(store.read('secret://folder'), 'unreadable')
  await failureOf(store.read('secret://circle'), 'unavailable')
  await failureOf(store.read('secret://dangling'), 'not_found')
  await failureOf(store.write('secret://folder', SECRET), 'unavailable')
  expect(readdirSync(root).sort()).toEqual(['circle', 'dangling', 'folder', 'pipe'])
})

test('what is not there is not found, and a store that is not there is unavailable', async () => {
  const root = newDirectory()
  put(root, 'file', 'x')
  const absent = await failureOf(storeAt(root).read('secret://a/b'), 'not_found')
  expect(absent.message).toBe("there is no secret secret://a/b: put it in the file a/b of the store's directory")
  await failureOf(storeAt(root).read('secret://file/b'), 'not_found')
  await failureOf(storeAt(join(root, 'nowhere')).read('secret://a'), 'unavailable')
  await failureOf(storeAt(root).write('secret://file/b', SECRET), 'unavailable')
})

test('what is written is read back, for its owner alone, and nothing else is left', async () => {
  const root = join(newDirectory(), 'made', 'secrets')
  const store = storeAt(root)
  expect(store.writable).toBe(true)
  put(root, 'old/token', 'x'.repeat(1000), 0o644)
  rmSync(root, { recursive: true })
  for (const secret of ['first', 'second', SECRET]) await store.write('secret://callers/agent/token', secret)
  expect(await store.read('secret://callers/agent/token')).toBe(SECRET)
  for (const path of ['', 'callers', 'callers/agent']) expect(mode(join(root, path))).toBe(0o700)
  expect(mode(join(root, 'callers/agent/token'))).toBe(0o600)
  expect(readdirSync(join(root, 'callers/agent'))).toEqual(['token'])
})

test('of many writes at once one wins, whole', async () => {
  const root = newDirectory()
  const store = storeAt(root)
  const secrets = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(5000))
  await Promise.all(secrets.map((secret) => store.write('secret://new/folder/a', secret)))
  expect(secrets).toContain(await store.read('secret://new/folder/a'))
  expect(readdirSync(join(root, 'new/folder'))).toEqual(['a'])
})

test('whatever can be written comes back as it was', async () => {
  const store = storeAt(newDirectory())
  const secrets = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/^\ufeff|[\r\n]$/.test(text))
  await fc.assert(
    fc.asyncProperty(secrets, async (secret) => {
      await store.write('secret://a', secret)
      expect(await store.read('secret://a')).toBe(secret)
    }),
    { numRuns: 50 },
  )
})

test.each(['', '\n', `${SECRET}\n`, `\ufeff${SECRET}`, `${SECRET}\ud800`])('%j is not written', async (secret) => {
  const root = newDirectory()
  put(root, 'a', 'as it was')
  await failureOf(storeAt(root).write('secret://a', secret), 'invalid_input')
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('as it was')
})

test('files that others can read are told, with what to run, and still read', async () => {
  const root = join(newDirectory(), "it's here")
  const store = storeAt(root)
  const open = put(root, 'open', SECRET)
  put(root, 'closed', SECRET)
  chmodSync(open, 0o640)
  chmodSync(root, 0o755)
  const refs = ['secret://open', 'secret://closed', 'secret://absent', 'secret://open', SECRET]
  const warnings = await store.warnings(refs)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('secret://open')
  expect(warnings.join()).not.toContain(SECRET)
  expect(await store.read('secret://open')).toBe(SECRET)
  execFileSync('sh', ['-c', warnings[0]?.split('run: ')[1] ?? 'false'])
  expect(await store.warnings(refs)).toEqual([])
})

test('a directory that others can write is told', async () => {
  const root = newDirectory()
  chmodSync(root, 0o777)
  const [warning = ''] = await storeAt(root).warnings([])
  execFileSync('sh', ['-c', warning.split('run: ')[1] ?? 'false'])
  expect(mode(root)).toBe(0o755)
  expect(await storeAt(root).warnings([])).toEqual([])
})

test('a write that fails leaves the old secret and no draft', async () => {
  const root = newDirectory()
  put(root, 'a/inner', SECRET)
  writeFileSync(join(root, 'b'), 'as it was')
  await failureOf(storeAt(root).write('secret://a', 'changed'), 'unavailable')
  await failureOf(storeAt(root).write('secret://b/c', 'changed'), 'unavailable')
  expect(readdirSync(root).sort()).toEqual(['a', 'b'])
  expect(await storeAt(root).read('secret://b')).toBe('as it was')
})
