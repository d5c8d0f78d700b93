/**
 * What a person sees of an HTML document, by Chromium: 600 px wide, light scheme, no scripts, nothing loaded from anywhere.
 *
 * INVARIANT: a text is shown if exchanging the letters of its first half and of its second half changes clearly visible pixels of
 * the document, however it got there. Nothing is concluded from the DOM or from computed styles.
 *
 *     const oracle = await openOracle()
 *     await oracle.judge([{ html: '<p>hunuhnuu4821</p>', canaries: ['hunuhnuu4821'] }])   // [['shown']]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchBrowser } from '../console/page-browser.ts'
import { otherHead, otherTail } from './canary.ts'
import { areLoaded, bleach, growFrames, placeFrames, placesOf, wordsOf, writeFrames } from './frames.ts'
import { type Area, type Cutting, decodePng, differentPixels } from './picture.ts'

/**
 * `partly`: half of it, faintly or too small to read. It must not be taken for visible, and need not be delivered.
 * `aside`: less than a screen further to the right. `moving`: the document changes by itself. Both prove nothing.
 */
export type Sight = 'shown' | 'partly' | 'hidden' | 'aside' | 'moving'

export interface Document {
  readonly html: string
  readonly canaries: readonly string[]
}

export interface Oracle {
  /** For each document, for each of its canaries, whether a person sees it. */
  judge(documents: readonly Document[]): Promise<Sight[][]>
  /**
   * As `judge`, with three renderings a document however many canaries it has. A text that is painted into the place of another
   * one counts as both: what matters is asked again with `judge`.
   */
  judgeTogether(documents: readonly Document[]): Promise<Sight[][]>
  /** The words between the tags of a document that a person sees. */
  shownWords(html: string): Promise<string[]>
  picture(html: string): Promise<Buffer>
  close(): Promise<void>
}

const WIDTH = 600
/** Of the frame before it grows to its contents. */
const FIRST_HEIGHT = 160
const MOST_HEIGHT = 12_000
const COLUMNS = 3
const SHEET_HEIGHT = 2400
/** Differences of a channel: that a person sees at once, and that a person sees at all. */
const CLEAR = 40
const SLIGHT = 16
/** Pixels of half a word. */
const SHOWN = 12
const HIDDEN = 4

/** Pictures inside of a document are its own; everything else that it asks for is refused. */
const HOST = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline' data:;
 img-src data:; font-src data:; media-src data:; frame-src data: about:"><style>body { margin: 0; background: #fff }
 div { position: absolute; overflow: hidden; width: ${WIDTH}px } iframe { border: 0; width: ${WIDTH}px; display: block }</style><body>`

export async function openOracle(): Promise<Oracle> {
  const browser = await launchBrowser()
  const context = await browser.newContext({
    viewport: { width: WIDTH * COLUMNS, height: SHEET_HEIGHT },
    colorScheme: 'light',
    reducedMotion: 'no-preference',
    javaScriptEnabled: false,
    offline: true,
  })
  const page = await context.newPage()
  await page.setContent(HOST)
  return new ChromiumOracle(browser, page, await context.newCDPSession(page))
}

interface Rendering {
  readonly document: number
  /** Which canary is exchanged, or -1. */
  readonly canary: number
  readonly half: 'none' | 'head' | 'tail' | 'same'
  readonly html: string
}

class ChromiumOracle implements Oracle {
  readonly #browser: Browser
  readonly #page: Page
  readonly #session: CDPSession

  constructor(browser: Browser, page: Page, session: CDPSession) {
    this.#browser = browser
    this.#page = page
    this.#session = session
  }

  async judge(documents: readonly Document[]): Promise<Sight[][]> {
    const sights: Sight[][] = documents.map(() => [])
    for (let at = 0; at < documents.length; ) {
      let end = at
      let count = 0
      while (end < documents.length && (count === 0 || count + rendersOf(documents[end]) <= MOST_FRAMES)) {
        count += rendersOf(documents[end])
        end++
      }
      const judged = await this.#judgeBatch(documents.slice(at, end))
      for (const [offset, sight] of judged.entries()) sights[at + offset] = sight
      at = end
    }
    return sights
  }

  async #judgeBatch(documents: readonly Document[]): Promise<Sight[][]> {
    const renderings = documents.flatMap(renderingsOf)
    const heights = await this.#write(renderings.map(({ html }) => html))
    // All versions of a document are compared over the same height.
    const tallest = documents.map((_, document) =>
      Math.max(...renderings.map((one, at) => (one.document === document ? (heights[at] ?? 0) : 0))),
    )
    const cells = renderings.map(({ document }) => tallest[document] ?? FIRST_HEIGHT)
    const pictures = await this.#pictures(cells)
    const places = await this.#page.evaluate(
      placesOf,
      documents.map(({ canaries }, document) => ({
        frame: renderings.findIndex((one) => one.document === document),
        canaries,
      })),
    )
    return documents.map(({ canaries }, document) =>
      canaries.map((_, canary) => {
        const find = (half: Rendering['half']): Cutting | undefined =>
          pictures[
            renderings.findIndex(
              (one) => one.document === document && one.half === half && (one.canary === -1 || one.canary === canary),
            )
          ]
        const [plain, same] = [find('none'), find('same')]
        if (plain !== undefined && same !== undefined && differentPixels(plain, same, SLIGHT) > 0) return 'moving'
        const sight = sightOf([countsOf(plain, find('head'), find('tail'))])
        return sight !== 'shown' && (places[document]?.[canary] ?? []).some(isAside) ? 'aside' : sight
      }),
    )
  }

  async judgeTogether(documents: readonly Document[]): Promise<Sight[][]> {
    const sights: Sight[][] = []
    for (let at = 0; at < documents.length; at += MOST_FRAMES / 3) {
      sights.push(...(await this.#judgeBatchTogether(documents.slice(at, at + MOST_FRAMES / 3))))
    }
    return sights
  }

  async #judgeBatchTogether(documents: readonly Document[]): Promise<Sight[][]> {
    const versions = documents.flatMap(({ html, canaries }) => [
      html,
      canaries.reduce((changed, word) => changed.replaceAll(word, otherHead(word)), html),
      canaries.reduce((changed, word) => changed.replaceAll(word, otherTail(word)), html),
    ])
    const heights = await this.#write(versions)
    const places = await this.#page.evaluate(
      placesOf,
      documents.map(({ canaries }, at) => ({ frame: at * 3, canaries })),
    )
    const tallest = documents.map((_, at) => Math.max(...heights.slice(at * 3, at * 3 + 3)))
    const pictures = await this.#pictures(versions.map((_, at) => tallest[Math.floor(at / 3)] ?? FIRST_HEIGHT))
    return documents.map(({ canaries }, at) =>
      canaries.map((_, canary) => {
        const areas = places[at]?.[canary] ?? []
        const [plain, head, tail] = pictures.slice(at * 3, at * 3 + 3)
        const counts = areas.map((area) => countsOf(within(plain, area), within(head, area), within(tail, area)))
        return sightOf(counts)
      }),
    )
  }

  /** Writes each document into a frame of its own; the heights that they need. */
  async #write(htmls: readonly string[]): Promise<number[]> {
    await this.#page.evaluate(writeFrames, { htmls, height: FIRST_HEIGHT })
    for (let wait = 0; wait < MOST_WAITS && !(await this.#page.evaluate(areLoaded)); wait++) await sleep(20)
    return this.#page.evaluate(growFrames, { first: FIRST_HEIGHT, most: MOST_HEIGHT })
  }

  /** Shows the frames in as many sheets as they need, and cuts them out again. */
  async #pictures(heights: readonly number[]): Promise<Cutting[]> {
    const cells: Cutting[] = []
    for (const sheet of sheetsOf(heights)) {
      const bottom = Math.max(...sheet.map(({ area }) => area.y + area.height))
      await this.#page.evaluate(placeFrames, sheet)
      const { data } = await this.#session.send('Page.captureScreenshot', {
        format: 'png',
        optimizeForSpeed: true,
        captureBeyondViewport: bottom > SHEET_HEIGHT,
        clip: { x: 0, y: 0, width: WIDTH * COLUMNS, height: bottom, scale: 1 },
      })
      const picture = decodePng(Buffer.from(data, 'base64'))
      for (const { frame, area } of sheet) cells[frame] = { picture, area }
    }
    return cells
  }

  async shownWords(html: string): Promise<string[]> {
    const [height = FIRST_HEIGHT] = await this.#write([html, html])
    await this.#page.evaluate(bleach, 1)
    const words = await this.#page.evaluate(wordsOf, 0)
    const [plain, bleached] = await this.#pictures([height, height])
    const isSeen = (area: Area): boolean => {
      const [one, other] = [within(plain, area), within(bleached, area)]
      return one !== undefined && other !== undefined && differentPixels(one, other, SLIGHT) >= HIDDEN
    }
    return words.filter(({ areas }) => areas.some(isSeen)).map(({ word }) => word)
  }

  async picture(html: string): Promise<Buffer> {
    const [height = FIRST_HEIGHT] = await this.#write([html])
    await this.#page.evaluate(placeFrames, [{ frame: 0, area: { x: 0, y: 0, width: WIDTH, height } }])
    return this.#page.screenshot({ clip: { x: 0, y: 0, width: WIDTH, height } })
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }
}

const MOST_FRAMES = 60
const MOST_WAITS = 100

/** What may look different a moment later. */
const MOVING = /<(?:progress|marquee|meter|blink)|animation|transition|keyframes|starting-style/i

function isAside({ x, width }: Area): boolean {
  return x + width > WIDTH && x < 2 * WIDTH
}

const rendersOf = (document: Document | undefined): number => 1 + 2 * (document?.canaries.length ?? 0)

function renderingsOf({ html, canaries }: Document, document: number): Rendering[] {
  const exchanged = canaries.flatMap((word, canary): Rendering[] => [
    { document, canary, half: 'head', html: html.replaceAll(word, otherHead(word)) },
    { document, canary, half: 'tail', html: html.replaceAll(word, otherTail(word)) },
  ])
  const same: Rendering[] = MOVING.test(html) ? [{ document, canary: -1, half: 'same', html }] : []
  return [{ document, canary: -1, half: 'none', html }, ...same, ...exchanged]
}

interface Placed {
  readonly frame: number
  readonly area: Area
}

/** Fills sheets of three columns, one frame below the other. */
function sheetsOf(heights: readonly number[]): Placed[][] {
  const sheets: Placed[][] = []
  let used: number[] = []
  for (const [frame, height] of heights.entries()) {
    let column = used.findIndex((bottom) => bottom === 0 || bottom + height <= SHEET_HEIGHT)
    if (column === -1 || sheets.length === 0) {
      sheets.push([])
      used = Array.from({ length: COLUMNS }, () => 0)
      column = 0
    }
    const y = used[column] ?? 0
    sheets.at(-1)?.push({ frame, area: { x: column * WIDTH, y, width: WIDTH, height } })
    used[column] = y + height
  }
  return sheets
}

/** Pixels that differ, clearly and slightly, by the first half of a word and by its second. */
interface Counts {
  readonly clear: readonly [head: number, tail: number]
  readonly slight: readonly [head: number, tail: number]
}

function countsOf(plain: Cutting | undefined, head: Cutting | undefined, tail: Cutting | undefined): Counts {
  if (plain === undefined || head === undefined || tail === undefined) throw new Error('A rendering is missing')
  const pair = (least: number): [number, number] => [
    differentPixels(plain, head, least),
    differentPixels(plain, tail, least),
  ]
  return { clear: pair(CLEAR), slight: pair(SLIGHT) }
}

/** Of all the places of a text: it is shown if each half is, anywhere. */
function sightOf(places: readonly Counts[]): Sight {
  const most = (of: (counts: Counts) => number): number => Math.max(0, ...places.map(of))
  const clear = Math.min(
    most((place) => place.clear[0]),
    most((place) => place.clear[1]),
  )
  if (clear >= SHOWN) return 'shown'
  const slight = Math.max(
    most((place) => place.slight[0]),
    most((place) => place.slight[1]),
  )
  return slight < HIDDEN ? 'hidden' : 'partly'
}

/** The part of a cutting that lies in an area of its document. */
function within(cutting: Cutting | undefined, area: Area): Cutting | undefined {
  if (cutting === undefined) return undefined
  const left = Math.min(Math.max(area.x, 0), cutting.area.width)
  const top = Math.min(Math.max(area.y, 0), cutting.area.height)
  const width = Math.max(0, Math.min(area.x + area.width, cutting.area.width) - left)
  const height = Math.max(0, Math.min(area.y + area.height, cutting.area.height) - top)
  return { picture: cutting.picture, area: { x: cutting.area.x + left, y: cutting.area.y + top, width, height } }
}
