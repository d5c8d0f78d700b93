/** Which tests are fast is read off their imports; here is what that must come to. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LONG_TESTS } from './long-tests.ts'
import { programsOf, startsProcesses, testFiles } from './programs.ts'

const namesOf = (file: string): readonly string[] => programsOf(file).map(({ name }) => name)

test('a test needs the programs that it reaches through its imports, at any depth', () => {
  expect(namesOf('test/dovecot/access.test.ts')).toEqual(['Dovecot'])
  expect(namesOf('test/console/a11y.test.ts')).toContain('Chromium')
  expect(namesOf('test/secrets/gpg.test.ts')).toEqual(['GnuPG'])
  expect(namesOf('src/core/query/properties.test.ts')).toEqual([])
})

test('a test that starts Postern starts a process', () => {
  expect(startsProcesses('test/mcp/postern.test.ts')).toBe(true)
  expect(startsProcesses('src/core/query/properties.test.ts')).toBe(false)
})

test('most tests need nothing but Node, and none of those names a program', () => {
  const alone = testFiles().filter((file) => programsOf(file).length === 0 && !startsProcesses(file))
  expect(alone.length).toBeGreaterThan(200)
  const naming = alone.filter((file) =>
    /executablePath|spawn(Sync)?\(|execFile(Sync)?\(/.test(readFileSync(file, 'utf8')),
  )
  expect(naming.filter((file) => file !== 'test/setup/programs.test.ts')).toEqual([])
})

test('every long test is there, and only its length keeps it from the fast ones', () => {
  const files = testFiles()
  const others = LONG_TESTS.filter(
    (file) => !files.includes(file) || programsOf(file).length > 0 || startsProcesses(file),
  )
  expect(others).toEqual([])
  expect(new Set(LONG_TESTS).size).toBe(LONG_TESTS.length)
})
