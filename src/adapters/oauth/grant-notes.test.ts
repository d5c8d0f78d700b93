import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { GrantNote } from '../../ports/grant-notes.ts'
import { createGrantNotes } from './grant-notes.ts'

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'pn-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const optional = fc.option(fc.string(), { nil: undefined })
const notes: fc.Arbitrary<GrantNote> = fc
  .record({ scope: fc.string(), granted: optional, token: optional, reason: optional })
  .map(({ scope, granted, token, reason }) => ({
    scope,
    ...(granted === undefined ? {} : { granted }),
    ...(token === undefined ? {} : { token }),
    ...(reason === undefined ? {} : { refused: { reason: 'invalid_grant', token: reason } as const }),
  }))

test('every account, whatever its id, has its own note and gets it back as it was', async () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }), {
    minLength: 2,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(ids, notes, async (accounts, note) => {
      const store = createGrantNotes({ directory: mkdtempSync(join(root, 'd')) })
      for (const [at, account] of accounts.entries())
        await store.write(account, { ...note, scope: `${at} ${note.scope}` })
      for (const [at, account] of accounts.entries()) {
        expect(await store.read(account)).toEqual({ ...note, scope: `${at} ${note.scope}` })
      }
    }),
    { numRuns: 30, examples: [[['a', 'A', '../a', '.'], { scope: '' }]] },
  )
})
const root = mkdtempSync(join(tmpdir(), 'pn-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))

test('the directory and the file are their owner’s alone, and no draft stays behind', async () => {
  const directory = newDirectory()
  const store = createGrantNotes({ directory })
  expect(await store.read('work')).toBeUndefined()
  await Promise.all(Array.from({ length: 10 }, (_, i) => store.write('work', { scope: `${i}` })))
  expect(readdirSync(join(directory, 'oauth'))).toEqual(['work.json'])
  expect(statSync(join(directory, 'oauth')).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, 'oauth', 'work.json')).mode & 0o777).toBe(0o600)
})

test('what is not a note is read as a no to every token', async () => {
  const directory = newDirectory()
  const store = createGrantNotes({ directory })
  await store.write('work', { scope: 'mail' })
  const strange = [
    '',
    'null',
    '[]',
    '7',
    '{}',
    '{"scope":1}',
    '{"scope":"a","token":{}}',
    '{"scope":"a","refused":true}',
  ]
  for (const text of [...strange, '{"scope":"a","refused":{"reason":"other"}}']) {
    writeFileSync(join(directory, 'oauth', 'work.json'), text)
    expect(await store.read('work')).toMatchObject({ refused: { reason: 'note_damaged' } })
  }
})

test('turns are taken one after the other, and what fails in one passes through as it is', async () => {
  const store = createGrantNotes({ directory: newDirectory() })
  let inside = 0
  const most: number[] = []
  const turns = Array.from({ length: 5 }, () =>
    store.alone('work', async () => {
      inside += 1
      most.push(inside)
      await new Promise((resolve) => setTimeout(resolve, 5))
      inside -= 1
    }),
  )
  await Promise.all(turns)
  expect(most).toEqual([1, 1, 1, 1, 1])
  const failure = new Failure('not_found', 'no such thing')
  await expect(store.alone('work', () => Promise.reject(failure))).rejects.toBe(failure)
  const bug = new TypeError('a bug')
  await expect(store.alone('work', () => Promise.reject(bug))).rejects.toBe(bug)
  expect(await store.alone('work', async () => 'still open')).toBe('still open')
})

test('a data directory that cannot be used is unavailable', async () => {
  const directory = join(newDirectory(), 'file')
  writeFileSync(directory, '')
  const store = createGrantNotes({ directory })
  await expect(store.write('work', { scope: '' })).rejects.toMatchObject({ code: 'unavailable' })
  await expect(store.alone('work', async () => undefined)).rejects.toMatchObject({ code: 'unavailable' })
})
