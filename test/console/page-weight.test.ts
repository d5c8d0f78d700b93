/** The page is light, asks nobody else for anything, and does not jump about while it appears. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, openVisit } from './page-browser.ts'
import { workingDay } from './page-letters.ts'
import { sampleRecords } from './page-samples.ts'
import { openStage, type Stage } from './page-stage.ts'

const MOST_BYTES = 60_000
const MOST_SHIFT = 0.02
const PLACES = ['outbox', 'activity', 'access', 'accounts', 'transfers']

let browser: Browser
let stage: Stage

beforeAll(async () => {
  browser = await launchBrowser()
  stage = await openStage()
  stage.letters = workingDay()
  stage.records = sampleRecords(150)
})
afterAll(async () => {
  await stage.close()
  await browser.close()
})

test('all of it is under 60 kB as it comes over the line', async () => {
  const files = ['', 'app.js', 'app.css'].map(async (name) => {
    const response = await fetch(`${stage.origin}/console/${name}`, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    // What is unpacked on the way has no length: it is packed again as the door does it.
    return (await import('node:zlib')).gzipSync(await response.bytes(), { level: 9 }).length
  })
  const bytes = (await Promise.all(files)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeLessThan(MOST_BYTES)
  expect(bytes).toBeGreaterThan(1000)
})

test.each(PLACES.flatMap((place) => [360, 1440].map((width) => [place, width] as const)))(
  '%s at %i pixels appears without a jump, and asks no other machine',
  async (place, width) => {
    const { page, strays, complaints, close } = await openVisit(browser, stage, { width })
    await page.addInitScript(() => {
      const seen = window as unknown as { shift: number }
      seen.shift = 0
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.goto(await stage.newLink())
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.goto(`${stage.origin}/console/#/${place}`)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.skeletons').waitFor({ state: 'detached' })
    await page.getByText('Live', { exact: true }).waitFor()
    // Two frames, so that what was drawn last has been measured.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(MOST_SHIFT)
    expect({ strays, complaints }).toEqual({ strays: [], complaints: [] })
    await close()
  },
)
