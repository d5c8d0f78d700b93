/** docs/assurance.md names, for every promise, a test that exists. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pageAt, ROOT } from './pages.ts'

const ROWS = pageAt('docs/assurance.md')
  .text.split('\n')
  .filter((line) => /^\| (?!promise \||-)/.test(line))

/** `[label](../test/x.test.ts) "name of a test"`; the name may be left out. */
const PROOF = /\[[^\]]*\]\(\.\.\/((?:src|test)\/[^)]+\.test\.ts)\)(?: "([^"]+)")?/g

function missingIn(row: string): readonly string[] {
  const proofs = [...row.matchAll(PROOF)]
  if (proofs.length === 0) return [`no test: ${row}`]
  return proofs.flatMap(([, file = '', name]) => {
    if (!existsSync(join(ROOT, file))) return [`no such file: ${file}`]
    const isThere = name === undefined || readFileSync(join(ROOT, file), 'utf8').includes(name)
    return isThere ? [] : [`${file} has no test "${name}"`]
  })
}

test('every promise names a test that exists', () => {
  expect(ROWS.length).toBeGreaterThan(100)
  expect(ROWS.flatMap(missingIn)).toEqual([])
})

test('a test that is missing, or none at all, would be found', () => {
  const file = 'test/docs/assurance.test.ts'
  expect(missingIn(`| a | [x](../${file}) "every promise names a test that exists" |`)).toEqual([])
  expect(missingIn(`| a | [x](../${file}) "${'no such'} test" |`)).toEqual([`${file} has no test "${'no such'} test"`])
  expect(missingIn('| a | [x](../test/docs/none.test.ts) |')).toEqual(['no such file: test/docs/none.test.ts'])
  expect(missingIn('| a | |')).toHaveLength(1)
})
