/**
 * Documents composed at random: 300, or as many as `POSTERN_DOCUMENTS` says. A failure is printed as small as it gets.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { visibleText } from '../../src/adapters/mime/visible-text.ts'
import { compose, htmlOf } from './generate.ts'
import { judgeGenerated } from './generated.ts'
import { type Oracle, openOracle } from './oracle.ts'

const SEED = process.env['POSTERN_SEED'] ?? '1776'
const EFFORT = Number(process.env['POSTERN_EFFORT'] ?? 1)
const DOCUMENTS = Number(process.env['POSTERN_DOCUMENTS'] ?? Math.ceil(300 * EFFORT))
/** The documents of two seeds are different ones. */
const FIRST = (SEED === 'random' ? Date.now() % 1_000_000 : Number(SEED)) * 1_000_000

let oracle: Oracle

beforeAll(async () => {
  oracle = await openOracle()
})
afterAll(() => oracle.close())

test('a seed has its document', () => {
  expect(htmlOf(compose(7, 3))).toBe(htmlOf(compose(7, 3)))
  expect(htmlOf(compose(7, 3))).not.toBe(htmlOf(compose(8, 3)))
})

test(`of ${DOCUMENTS} generated documents, nothing hidden is visible, nothing shown is lost`, {
  timeout: 300_000 + DOCUMENTS * 2000,
}, async () => {
  const { failures, ...tally } = await judgeGenerated(visibleText, oracle, { first: FIRST, count: DOCUMENTS })
  process.stdout.write(`generated: ${JSON.stringify(tally)}\n`)
  expect(failures).toEqual([])
  // A reader that calls everything uncertain would pass, and prove nothing.
  expect(tally.visible).toBeGreaterThan(tally.documents)
})
