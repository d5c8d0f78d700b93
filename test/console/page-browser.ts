/**
 * A real browser in front of the console.
 *
 * INVARIANT: asks no machine but this one; whatever a page tries to fetch elsewhere is noted and refused. What a page complains of
 * is noted too.
 */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Stage } from './page-stage.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export interface Visit {
  readonly page: Page
  /** Addresses elsewhere that something asked for. */
  readonly strays: string[]
  /** Errors, and what the content security policy refused. */
  readonly complaints: string[]
  /** Another tab of the same browser, signed in already. */
  tab(): Promise<Page>
  close(): Promise<void>
}

export function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['POSTERN_CHROMIUM'] ?? PLACES.find((place) => existsSync(place))
  if (executablePath === undefined) {
    throw new Error(
      'The tests of the console need Chromium. Install the Debian package chromium, or name one in POSTERN_CHROMIUM.',
    )
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

export interface Look {
  readonly width?: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
}

/** Not signed in yet. */
export async function openVisit(browser: Browser, stage: Pick<Stage, 'origin'>, look: Look = {}): Promise<Visit> {
  const { width = 1440, height = 900, scheme = 'light' } = look
  const options: BrowserContextOptions = {
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  }
  const context = await browser.newContext(options)
  const strays: string[] = []
  const complaints: string[] = []
  await context.route(
    (url) => url.origin !== stage.origin && url.protocol !== 'data:',
    (route) => {
      strays.push(route.request().url())
      return route.abort()
    },
  )
  const opened = async (): Promise<Page> => {
    const page = await context.newPage()
    page.on('console', (message) => {
      // A page that is not signed in asks whether it is, and is told that it is not.
      if (message.type() === 'error' && !/status of 401/.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.setDefaultTimeout(60_000)
    return page
  }
  const tab = async (): Promise<Page> => {
    const page = await opened()
    await page.goto(`${stage.origin}/console/`)
    return page
  }
  return { page: await opened(), strays, complaints, tab, close: () => context.close() }
}

/** Signed in, on one of the pages. */
export async function visit(browser: Browser, stage: Stage, look: Look = {}, place = '#/outbox'): Promise<Visit> {
  const opened = await openVisit(browser, stage, look)
  await opened.page.goto(`${await stage.newLink()}${place}`)
  await opened.page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return opened
}
