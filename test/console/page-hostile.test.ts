/** Mail that wants to be more than text on this page is text. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, type Visit, visit } from './page-browser.ts'
import { HOSTILE_TEXT, hostileLetter } from './page-letters.ts'
import { sampleRecord } from './page-samples.ts'
import { openStage, type Stage } from './page-stage.ts'

const UNSEEN = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/

let browser: Browser
let stage: Stage
let open: Visit
let page: Page

beforeAll(async () => {
  browser = await launchBrowser()
  stage = await openStage()
  stage.letters = [hostileLetter()]
  stage.readers.push(HOSTILE_TEXT)
  stage.records = [
    sampleRecord(1, { tool: HOSTILE_TEXT, reason: HOSTILE_TEXT, args_summary: { folder: HOSTILE_TEXT } }),
  ]
  open = await visit(browser, stage)
  page = open.page
})
afterAll(async () => {
  await open.close()
  await stage.close()
  await browser.close()
})

async function untouched(): Promise<void> {
  const found = await page.evaluate(() => ({
    hit: (window as { hit?: unknown }).hit ?? 'none',
    foreign: document.querySelectorAll('main :is(script, img, iframe, style, link, object, embed, form[action], b)')
      .length,
    scripts: document.querySelectorAll('a[href^="javascript:" i], [onerror], [onload], [onmouseover], [style]').length,
    shown: getComputedStyle(document.body).display,
  }))
  expect(found).toEqual({ hit: 'none', foreign: 0, scripts: 0, shown: 'block' })
  expect(await page.evaluate(() => document.body.textContent)).not.toMatch(UNSEEN)
  expect(await page.title()).not.toMatch(UNSEEN)
  expect({ strays: open.strays, complaints: open.complaints }).toEqual({ strays: [], complaints: [] })
}

test('in the list', async () => {
  await page.getByRole('link', { name: /yaPtnioP/ }).waitFor()
  await untouched()
})

test('in the open letter: every word of it is there, as text', async () => {
  await page.getByRole('link', { name: /yaPtnioP/ }).click()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  for (const line of HOSTILE_TEXT.split('\n')) expect(await page.locator('.letter').innerText()).toContain(line)
  expect(await page.locator('.letter').innerText()).toContain('[U+202E]right to left')
  await page.getByText('The whole message, as the terminal shows it', { exact: true }).click()
  await untouched()
})

test('in the question before it leaves', async () => {
  await page.keyboard.press('a')
  await page.getByRole('dialog').waitFor()
  expect(await page.getByRole('dialog').innerText()).toContain('looks like <b onmouseover=window.hit=1>rosa</b>')
  await untouched()
  await page.keyboard.press('Escape')
})

test('a long word does not widen the page', async () => {
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return { scrollWidth, clientWidth }
    })
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
  }
})

test('in the record', async () => {
  await page.evaluate(() => {
    location.hash = '#/activity'
  })
  await page
    .getByRole('cell', { name: /window\.hit/ })
    .first()
    .waitFor()
  await untouched()
})

test('every page runs where no text can become markup', async () => {
  await page.goto(`${stage.origin}/console/#/outbox`)
  await page.reload()
  for (const name of ['Outbox', 'Activity', 'Access', 'Accounts', 'Transfers']) {
    await page.getByRole('navigation', { name: 'Pages' }).getByText(name).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
  await untouched()
})
