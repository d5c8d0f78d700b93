/** Every page, narrow and wide, light and dark, has no serious fault for those who cannot see it as drawn. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, openVisit, visit } from './page-browser.ts'
import { workingDay } from './page-letters.ts'
import { sampleRecords } from './page-samples.ts'
import { openStage, type Stage } from './page-stage.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const LOOKS = [360, 1440].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })))

let browser: Browser
let stage: Stage

beforeAll(async () => {
  browser = await launchBrowser()
  stage = await openStage()
  stage.letters = workingDay()
  stage.records = sampleRecords(80)
})
afterAll(async () => {
  await stage.close()
  await browser.close()
})

async function faults(page: Page): Promise<readonly string[]> {
  // Through the debugger: the page's own policy lets no such script in.
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    interface Violation {
      readonly id: string
      readonly impact: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
    }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact !== 'minor')
      .flatMap(({ id, impact, nodes }) => nodes.map((node) => `${impact} ${id}: ${node.html} ${node.failureSummary}`))
  })
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
  await page.locator('.skeletons').waitFor({ state: 'detached' })
}

test.each(LOOKS)(
  'the pages, $width pixels, $scheme',
  async (look) => {
    const { page, close } = await visit(browser, stage, look)
    for (const place of ['outbox', 'activity', 'access', 'accounts', 'transfers']) {
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#/${place}`)
      await page.getByRole('heading', { name: place, level: 1 }).waitFor()
      await settled(page)
      expect({ place, faults: await faults(page) }).toEqual({ place, faults: [] })
    }
    await close()
  },
  180_000,
)

test.each(LOOKS)(
  'each letter and the questions about it, $width pixels, $scheme',
  async (look) => {
    const { page, close } = await visit(browser, stage, look)
    for (const { id, sending } of stage.letters.slice(0, 3)) {
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#/outbox/${id}`)
      await page.getByRole('heading', { name: sending.subject, level: 2 }).waitFor()
      expect({ subject: sending.subject, faults: await faults(page) }).toEqual({ subject: sending.subject, faults: [] })
    }
    for (const key of ['l', 'n', '?']) {
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      expect({ key, faults: await faults(page) }).toEqual({ key, faults: [] })
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
    }
    await close()
  },
  180_000,
)

test.each(LOOKS)('the way in, $width pixels, $scheme', async (look) => {
  const { page, close } = await openVisit(browser, stage, look)
  await page.goto(`${stage.origin}/console/sign-in?token=wrong`)
  await page.getByText('This link was used before').waitFor()
  expect(await faults(page)).toEqual([])
  await close()
})
