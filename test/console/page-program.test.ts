/** The built program, a real mail server and a real browser: from an agent's wish to a letter that has arrived. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { surroundings } from '../imap/postern.ts'
import { type Agent, type Scene, startScene } from '../outbox/scene.ts'
import { launchBrowser, openVisit, type Visit } from './page-browser.ts'
import { HOSTILE_TEXT } from './page-letters.ts'
import { type ServedProcess, startServed } from './served.ts'

let browser: Browser
let scene: Scene
let agent: Agent
let served: ServedProcess
let open: Visit
let page: Page

beforeAll(async () => {
  ;[browser, scene] = await Promise.all([launchBrowser(), startScene()])
  agent = await scene.agent()
  served = await startServed(['console', '--port', '0', '--no-open'], surroundings(scene.env, scene.directory))
  open = await openVisit(browser, served)
  page = open.page
  await page.goto(served.link)
  await page.getByText('Nothing waits.').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
})
afterAll(async () => {
  await open?.close()
  await served?.stop()
  await scene?.close()
  await browser?.close()
})

const LETTER = { to: 'rosa@riverside.test', subject: 'The agenda', body: 'Dear Rosa,\n\nhere it is.\n' }
const HOSTILE = { to: 'rosa@riverside.test', subject: '\u202E<img src=x onerror=window.hit=1>', body: HOSTILE_TEXT }

async function go(name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByText(name).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

test('a letter appears as soon as an agent asks, is approved, and arrives', async () => {
  await agent.say('send_email', LETTER)
  await page.getByRole('link', { name: /The agenda/ }).click()
  await page.getByText('here it is.').first().waitFor()
  await page.getByText('First message to this address').first().waitFor()
  await page.keyboard.press('a')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('It is sent when the agent asks again.', { exact: true }).waitFor()
  expect(scene.sink.messages).toHaveLength(0)
  await agent.say('send_email', LETTER)
  await page.getByText('Sent.', { exact: true }).waitFor()
  expect(scene.sink.messages).toHaveLength(1)
})

test('a rejection reaches the agent, with its reason', async () => {
  await agent.say('send_email', { ...LETTER, subject: 'Another one' })
  await go('Outbox')
  await page.getByRole('link', { name: /Another one/ }).click()
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.getByLabel('Reason (may stay empty)').fill('not to her')
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
  await page.getByText('Not to her.').waitFor()
  expect((await agent.say('send_email', { ...LETTER, subject: 'Another one' })).text).toContain('not to her')
  expect(scene.sink.messages).toHaveLength(1)
})

test('hostile mail is text here too', async () => {
  await agent.say('send_email', HOSTILE)
  await go('Outbox')
  await page.getByRole('link', { name: /onerror/ }).click()
  await page.getByText('<script>window.hit = 1</script>').first().waitFor()
  expect(await page.evaluate(() => (window as { hit?: unknown }).hit ?? 'none')).toBe('none')
  expect(await page.evaluate(() => document.body.textContent)).not.toContain('\u202E')
})

test('the record says who approved and from where; accounts and access are as they are', async () => {
  await go('Activity')
  await page.getByRole('row', { name: /127\.0\.0\.1.*approved a letter/ }).waitFor()
  await page.getByText('the record is whole').waitFor()
  await go('Accounts')
  await page.getByRole('button', { name: 'Reconnect default' }).click()
  await page.getByRole('status').getByText('default is connected.').waitFor()
  await go('Access')
  await page.getByRole('heading', { name: 'What local may see and do' }).waitFor()
  await go('Transfers')
  await page.getByText('Nothing is on its way.').waitFor()
  expect({ strays: open.strays, complaints: open.complaints }).toEqual({ strays: [], complaints: [] })
})
