/**
 * What a person sees of the letters of a page, as lines of text.
 *
 * INVARIANT: each letter is judged by all that was painted behind it and by all that is painted over it. A page that takes too much work is
 * uncertain.
 */
import { inkSight, mix, type Rgb, type Sight, WHITE, worse } from './ink.ts'
import type { Paper } from './paper.ts'
import type { Letter, Paint, PdfPage, Run } from './pdf-page.ts'
import { apart, type Box, boxOf, placeIn, share, strokeShare } from './region.ts'

/** Comparisons of letters with lines of drawings, in one document. */
const MOST_WORK = 40_000_000
/** So much of a letter may be covered, or clipped, or beside what lies behind it. */
const LITTLE = 0.2
const MOST_BEHIND = 8
const OPAQUE = 0.95
/** Marks that stand on other letters have no width. */
const NARROW = 0.2

export class Eye {
  readonly #paper: Paper
  #work = 0

  constructor(paper: Paper) {
    this.#paper = paper
  }

  read(page: PdfPage): void {
    const lines = new Lines(this.#paper)
    for (const run of page.runs) {
      const box = boxOfLetters(run, run.letters[0], run.letters.at(-1))
      const near = this.#near(run, box, page.paints)
      const doubt = page.doubtful || this.#work > MOST_WORK
      const isUniform = near.every((paint) => paint.line === undefined && placeIn(box, paint.region) === 'inside')
      const whole = isUniform && placeIn(box, run.clip) === 'inside' ? judge(run, box, near) : undefined
      for (const letter of run.letters) {
        const sight = whole ?? judge(run, boxOfLetters(run, letter, letter), near)
        lines.add(letter, run, (doubt || letter.odd) && sight === 'visible' ? 'uncertain' : sight)
      }
    }
    lines.end()
  }

  /** What is painted where these letters stand. */
  #near(run: Run, box: Box, paints: readonly Paint[]): readonly Paint[] {
    this.#work += paints.length
    if (this.#work > MOST_WORK) return []
    const near = paints.filter(({ region }) => !apart(box, region.box))
    for (const { region, line } of near) {
      const lines = region.paths.reduce((sum, { segments }) => sum + segments.length, line?.path.segments.length ?? 0)
      this.#work += 2 + (run.letters.length * lines) / 8
    }
    return this.#work > MOST_WORK ? [] : near
  }
}

/** What of these and all letters between them must be seen. */
function boxOfLetters({ place, core, letters }: Run, first = letters[0], last = letters[0]): Box {
  const [from, to] = [first?.from ?? 0, last?.to ?? 0]
  return boxOf(place, [from, 0, Math.abs(to - from) < NARROW * core ? from + NARROW * core : to, core])
}

function judge(run: Run, box: Box, near: readonly Paint[]): Sight {
  const clip = clipSight(run, box)
  let ground: readonly Rgb[] = [WHITE]
  let [fade, covered, isInPicture] = [1, 0, false]
  for (const paint of near) {
    const part = coveredShare(box, paint)
    if (part <= 0 || paint.alpha <= 0) continue
    isInPicture ||= paint.colour === undefined
    if (paint.at < run.at) ground = painted(ground, paint, part)
    else if (part < 1 || paint.colour === undefined) covered += part
    else fade *= paint.alpha >= OPAQUE ? 0 : 1 - paint.alpha
  }
  // A scanned page: its letters are those of the picture, as far as can be told.
  if (run.inks.length === 0) return isInPicture && clip !== 'hidden' ? 'uncertain' : 'hidden'
  const sights = run.inks.map(({ colour, alpha }) =>
    inkSight({ colour, behind: ground, alpha: alpha * fade, points: run.points }),
  )
  const ink = sights.every((sight) => sight === sights[0]) ? (sights[0] ?? 'hidden') : 'uncertain'
  const cover: Sight = covered > LITTLE ? 'uncertain' : 'visible'
  return [clip, ink, cover].reduce(worse, run.sight)
}

/** The colours behind a letter when one more thing is painted there. */
function painted(ground: readonly Rgb[], { colour, alpha }: Paint, part: number): readonly Rgb[] {
  const over = ground.map((under) => mix(colour, under, alpha))
  if (part === 1) return over
  return part > LITTLE ? [...new Set([...ground, ...over])].slice(0, MOST_BEHIND) : ground
}

function clipSight({ clip }: Run, box: Box): Sight {
  const place = placeIn(box, clip)
  if (place !== 'edge') return place === 'inside' ? 'visible' : 'hidden'
  const isNearlyInside = clip.paths.length === 0 && !clip.vague && share(box, clip.box) > 1 - LITTLE
  return isNearlyInside ? 'visible' : 'uncertain'
}

/** 1 where all of the box is covered for sure, else the most that may be, below 1. */
function coveredShare(box: Box, { region, line }: Paint): number {
  const place = placeIn(box, region)
  if (place === 'outside') return 0
  if (line !== undefined) return Math.min(0.99, strokeShare(box, line.path, line.width))
  return place === 'inside' ? 1 : Math.min(0.99, share(box, region.box))
}

/** Of the height of a font: a gap that is a blank, and a step that is another line. */
const BLANK = 0.2
const STEP = 0.6

/** Puts letters together as they stand on the page, in the order in which they are painted. */
class Lines {
  readonly #paper: Paper
  #text = ''
  #sight: Sight = 'visible'
  #last: { readonly letter: Letter; readonly run: Run } | undefined

  constructor(paper: Paper) {
    this.#paper = paper
  }

  add(letter: Letter, run: Run, sight: Sight): void {
    const gap = this.#last === undefined ? 'none' : gapBetween(this.#last, letter, run)
    if (gap === 'line') this.#break()
    // Blanks are seen as little here as there.
    if (sight !== this.#sight && letter.text.trim() !== '') {
      this.#flush()
      this.#sight = sight
    }
    this.#text += gap === 'blank' && !/\s$/.test(this.#text) ? ` ${letter.text}` : letter.text
    this.#last = { letter, run }
  }

  end(): void {
    this.#flush()
  }

  #break(): void {
    this.#flush()
    this.#paper.line()
  }

  #flush(): void {
    const text = logical(this.#text)
    this.#text = ''
    this.#paper.put(text, this.#sight)
  }
}

function gapBetween(
  { letter: before, run }: { readonly letter: Letter; readonly run: Run },
  letter: Letter,
  { points, place }: Run,
): 'none' | 'blank' | 'line' {
  const size = Math.max(1, Math.min(points, run.points))
  const [alongX, alongY, , , originX, originY] = run.place
  const length = Math.hypot(alongX, alongY) || 1
  const x = place[0] * letter.from + place[4] - (alongX * before.to + originX)
  const y = place[1] * letter.from + place[5] - (alongY * before.to + originY)
  const ahead = (x * alongX + y * alongY) / length
  const aside = Math.abs(x * alongY - y * alongX) / length
  if (aside > STEP * size || ahead < -2 * size) return 'line'
  return ahead > BLANK * size ? 'blank' : 'none'
}

const LIGATURES = /[\ufb00-\ufb06\ufb1d-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]/g
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[^\p{L}\p{N}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc])*/gu

/** Pages are painted from left to right whatever the script. */
function logical(text: string): string {
  return text
    .replace(RIGHT_TO_LEFT, (stretch) => [...stretch].reverse().join(''))
    .replace(LIGATURES, (letter) => letter.normalize('NFKC'))
}
