/** What happens in one tab is seen in the others at once. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchBrowser, type Visit, visit } from './page-browser.ts'
import { sampleLetter } from './page-letters.ts'
import { openStage, type Stage } from './page-stage.ts'

let browser: Browser
let stage: Stage
const visits: Visit[] = []

beforeAll(async () => {
  browser = await launchBrowser()
})
beforeEach(async () => {
  stage = await openStage()
  stage.letters = [sampleLetter({ subject: 'Only one' })]
})
afterEach(async () => {
  for (const one of visits.splice(0)) await one.close()
  await stage.close()
})
afterAll(() => browser.close())

async function opened(): Promise<Visit> {
  const one = await visit(browser, stage, {}, `#/outbox/${stage.letters[0]?.id}`)
  visits.push(one)
  await one.page.getByRole('button', { name: 'Approve' }).waitFor()
  await one.page.getByText('Live', { exact: true }).waitFor()
  return one
}

async function approve(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
}

test('an approval in one browser is seen in another', async () => {
  const [here, there] = [await opened(), await opened()]
  await approve(here.page)
  await there.page.getByText('Approved by ada in the console.').waitFor()
  await there.page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' })
})

test('more tabs than a browser opens connections all hear of it, also when the one that holds the line goes', async () => {
  const first = await opened()
  const tabs: Page[] = []
  for (let tab = 0; tab < 7; tab++) {
    const page = await first.tab()
    await page.getByRole('link', { name: /Only one/ }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    tabs.push(page)
  }
  await first.page.close()
  const [one, ...others] = tabs
  if (one === undefined) throw new Error('there is no tab')
  await approve(one)
  for (const page of others) await page.getByText('Approved by ada in the console.').waitFor()
  expect(stage.decided).toHaveLength(1)
})
