/** The whole outbox with the keyboard alone. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchBrowser, openVisit, type Visit, visit } from './page-browser.ts'
import { sampleLetter } from './page-letters.ts'
import { openStage, type Stage } from './page-stage.ts'

let browser: Browser
let stage: Stage
let open: Visit
let page: Page

beforeAll(async () => {
  browser = await launchBrowser()
})
beforeEach(async () => {
  stage = await openStage()
  stage.letters = ['First', 'Second', 'Third'].map((subject) => sampleLetter({ subject }))
})
afterEach(async () => {
  await open.close()
  await stage.close()
})
afterAll(() => browser.close())

async function enter(width: number, place = '#/outbox'): Promise<void> {
  open = await visit(browser, stage, { width }, place)
  page = open.page
}

const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '')
/** Not by its role: that of one that is closed already has gone, though it is still there. */
const left = (): Promise<void> => page.locator('dialog').waitFor({ state: 'detached' })
const title = (name: string): Promise<void> => page.getByRole('heading', { name, level: 2 }).waitFor()

test.each([360, 1440])(
  'letters are found, opened, approved and rejected without a mouse, at %i pixels',
  async (width) => {
    await enter(width)
    await page.getByRole('link', { name: /First/ }).waitFor()
    await page.keyboard.press('j')
    expect(await focused()).toContain('First')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toContain('Second')
    await page.keyboard.press('k')
    expect(await focused()).toContain('First')
    await page.keyboard.press('Enter')
    await title('First')
    await expect.poll(focused).toBe('First')
    await page.keyboard.press('a')
    await page.getByRole('dialog', { name: 'Approve this message to 1 person?' }).waitFor()
    expect(await focused()).toBe('Approve')
    expect(stage.decided).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('Approved by ada in the console.').waitFor()
    // The news may come before the answer that closes the question.
    await left()
    await page.keyboard.press('j')
    await title('Second')
    await page.keyboard.press('r')
    await page.getByRole('dialog', { name: 'Reject this message?' }).waitFor()
    await page.keyboard.type('no jokes, please')
    await page.keyboard.press('Enter')
    await page.getByText('Rejected by ada.').waitFor()
    await left()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /Third/ }).waitFor()
    expect(stage.decided).toMatchObject([
      { what: 'approve', id: stage.letters[0]?.id },
      { what: 'reject', id: stage.letters[1]?.id, reason: 'no jokes, please' },
    ])
  },
)

test('Escape leaves a question without an answer, and the letter for its place in the list', async () => {
  await enter(1440, `#/outbox/${stage.letters[1]?.id}`)
  await title('Second')
  await page.keyboard.press('a')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await left()
  await expect.poll(focused).toBe('Second')
  await page.keyboard.press('Escape')
  const line = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.getAttribute('data-letter') ?? null)
  await expect.poll(line).toBe(stage.letters[1]?.id)
  await expect.poll(() => new URL(page.url()).hash).toBe('#/outbox')
  expect(stage.decided).toEqual([])
})

test('a question that was left takes nothing with it that was asked since', async () => {
  await enter(1440, `#/outbox/${stage.letters[0]?.id}`)
  await title('First')
  await page.keyboard.press('a')
  await page.getByRole('dialog').waitFor()
  // At one go: the browser tells of the first only afterwards, as it does when it has much to do.
  await page.evaluate(() => {
    document.querySelector('dialog')?.close()
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'r' }))
  })
  await page.getByRole('dialog', { name: 'Reject this message?' }).waitFor()
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)))
  expect(await page.getByRole('dialog', { name: 'Reject this message?' }).count()).toBe(1)
})

test('keys do nothing while somebody types, with a modifier, or once they are switched off', async () => {
  await enter(1440, `#/outbox/${stage.letters[0]?.id}`)
  await title('First')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('r')
  await page.getByLabel('Reason (may stay empty)').waitFor()
  await page.keyboard.type('aj?')
  expect(await page.getByRole('dialog').count()).toBe(1)
  expect(await page.getByLabel('Reason (may stay empty)').inputValue()).toBe('aj?')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByLabel('Single keys do something').uncheck()
  await page.keyboard.press('Escape')
  await left()
  await page.keyboard.press('a')
  await page.keyboard.press('?')
  await page.keyboard.press('2')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(new URL(page.url()).hash).toContain('#/outbox/')
})

test('pages have numbers', async () => {
  await enter(1440)
  for (const [key, name] of [
    ['2', 'Activity'],
    ['3', 'Access'],
    ['4', 'Accounts'],
    ['5', 'Transfers'],
    ['1', 'Outbox'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
})

test('whatever can be done is reached with Tab, and where one is can be seen', async () => {
  await enter(1440, `#/outbox/${stage.letters[0]?.id}`)
  await title('First')
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  const reached = new Set<string>()
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab')
    const now = await page.evaluate(() => {
      const here = document.activeElement
      const seen = here === null ? undefined : getComputedStyle(here)
      return { name: here?.textContent ?? '', outline: seen?.outlineStyle, width: seen?.outlineWidth }
    })
    if (now.name === (await page.evaluate(() => document.body.textContent))) continue
    expect(now).toMatchObject({ outline: 'solid', width: '3px' })
    reached.add(now.name)
  }
  for (const name of ['Skip to the page', 'Activity', 'Sign out', /^Approve/, /^Reject/, /Third/]) {
    expect([...reached].some((text) => text.match(name) !== null)).toBe(true)
  }
})

test('signing in needs no mouse', async () => {
  open = await openVisit(browser, stage)
  page = open.page
  await page.goto(`${stage.origin}/console/`)
  await page.getByLabel('Sign-in link').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(await stage.newLink())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Outbox' }).waitFor()
})
