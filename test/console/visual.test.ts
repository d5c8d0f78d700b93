/**
 * Every page fits: narrow and wide, light and dark, nothing stands beyond the edge or over something else.
 *
 * With POSTERN_SCREENSHOTS=1 the pictures of the README are made along the way.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, visit } from './page-browser.ts'
import { workingDay } from './page-letters.ts'
import { smaller } from './page-picture.ts'
import { sampleRecords } from './page-samples.ts'
import { openStage, type Stage } from './page-stage.ts'

const PICTURES = join(import.meta.dirname, '../../docs/pictures')
const MOST_BYTES = 150_000
const LOOKS = [
  ...[360, 768, 1024, 1440, 2200].map((width) => ({ width, scheme: 'light' as const })),
  ...[360, 1440].map((width) => ({ width, scheme: 'dark' as const })),
]

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

async function show(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#/${place}`)
  const [name, id] = place.split('/')
  await page.locator(`#${name}-title`).waitFor({ state: 'attached' })
  if (id !== undefined) await page.locator('article.letter').waitFor()
  await page.locator('.skeletons').waitFor({ state: 'detached' })
}

const places = (): readonly string[] => [
  'outbox',
  ...stage.letters.map(({ id }) => `outbox/${id}`),
  'activity',
  'access',
  'accounts',
  'transfers',
]

test.each(LOOKS)(
  '$width pixels, $scheme',
  async (look) => {
    const { page, complaints, close } = await visit(browser, stage, look)
    const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const [brightness = 0] = /\d+/.exec(ground)?.map(Number) ?? []
    expect(brightness > 128).toBe(look.scheme === 'light')
    for (const place of places()) {
      await show(page, place)
      const beyond = await page.evaluate(() =>
        [...document.querySelectorAll('main *, header *')]
          .filter((one) => {
            const { left, right, width } = one.getBoundingClientRect()
            const isHidden = getComputedStyle(one).clipPath !== 'none' || one.closest('.unseen, .back, thead') !== null
            return !isHidden && width > 0 && (left < -1 || right > document.documentElement.clientWidth + 1)
          })
          .map((one) => one.outerHTML.slice(0, 120)),
      )
      expect({ place, beyond }).toEqual({ place, beyond: [] })
    }
    expect(complaints).toEqual([])
    await close()
  },
  120_000,
)

test('on a narrow screen nothing to press is smaller than a finger needs', async () => {
  const { page, close } = await visit(browser, stage, { width: 360, height: 740 })
  for (const place of places()) {
    await show(page, place)
    const small = await page.evaluate(() =>
      [...document.querySelectorAll('main button, main select, main .letters a, nav a')]
        .filter((one) => one.getBoundingClientRect().height > 0 && one.getBoundingClientRect().height < 32)
        .map((one) => one.outerHTML.slice(0, 120)),
    )
    expect({ place, small }).toEqual({ place, small: [] })
  }
  await close()
})

test.runIf(process.env['POSTERN_SCREENSHOTS'] === '1')('pictures for the README', async () => {
  await mkdir(PICTURES, { recursive: true })
  const shots: readonly (readonly [string, string, 'light' | 'dark'])[] = [
    ['outbox', `outbox/${stage.letters[0]?.id}`, 'light'],
    ['outbox-dark', `outbox/${stage.letters[0]?.id}`, 'dark'],
    ['activity', 'activity', 'light'],
    ['access', 'access', 'light'],
    ['accounts', 'accounts', 'dark'],
  ]
  for (const [name, place, scheme] of shots) {
    const { page, close } = await visit(browser, stage, { width: 1200, height: 750, scheme })
    // Without the sign-ins of these tests.
    stage.records = sampleRecords(80)
    stage.changed('activity')
    await show(page, place)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    const path = join(PICTURES, `${name}.png`)
    const picture = smaller(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
    expect(picture.length).toBeLessThan(MOST_BYTES)
    await writeFile(path, picture)
    await close()
  }
})
