/** Of the words that Chromium shows of ordinary mail most are visible, and none is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { visibleText } from '../../src/adapters/mime/visible-text.ts'
import { hasCorpus } from '../corpus/mail.ts'
import { type Oracle, openOracle } from './oracle.ts'
import { figures, NOTHING, type Share, shareOf, sum } from './ordinary.ts'
import { benignPages, corpusPages, interactiveTemplates, type Page, templates } from './sources.ts'

const LEAST_VISIBLE = 0.98
/** Old mail has boxes that are wider than the window, which are uncertain. The goal for it is 0.98 as well. */
const LEAST_VISIBLE_OLD = 0.93

let oracle: Oracle

beforeAll(async () => {
  oracle = await openOracle()
})
afterAll(() => oracle.close())

async function total(pages: readonly Page[]): Promise<Share> {
  let all = NOTHING
  for (const { html } of pages) all = sum(all, await shareOf(visibleText, oracle, html))
  process.stdout.write(`${pages.length} pages, ${figures(all)}\n`)
  return all
}

function expectVisible({ visible, uncertain, lost, missing }: Share, least = LEAST_VISIBLE): void {
  expect(missing).toEqual([])
  expect(visible / (visible + uncertain + lost)).toBeGreaterThanOrEqual(least)
}

test('templates', async () => {
  expectVisible(await total(templates()))
})

test('templates that a reader may click through lose nothing', async () => {
  expect((await total(interactiveTemplates())).missing).toEqual([])
})

describe.skipIf(!hasCorpus())('the corpus', () => {
  test('benign texts', async () => {
    expectVisible(await total(benignPages().filter((_, at) => at % 12 === 0)))
  })

  test('HTML messages', async () => {
    expectVisible(await total(corpusPages().filter((_, at) => at % 12 === 0)), LEAST_VISIBLE_OLD)
  })
})
