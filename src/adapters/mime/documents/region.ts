/**
 * Places on a page, and which of them lie in one another.
 *
 * INVARIANT: `placeIn` says `inside` and `outside` only where that holds of every point of the box; all else is `edge`.
 */

/** Left, bottom, right, top. */
export type Box = readonly [number, number, number, number]
export type Matrix = readonly [number, number, number, number, number, number]
export type Place = 'inside' | 'outside' | 'edge'

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

/** Lines and curves, each as its ends (x, y, x, y) and the box around it: eight numbers. */
export interface Path {
  readonly segments: Float64Array
  readonly box: Box
  readonly evenOdd: boolean
  /** Its sides are those of the page. */
  readonly isRectangle: boolean
}

/** What lies in all of its paths. `box` bounds it. */
export interface Region {
  readonly box: Box
  readonly paths: readonly Path[]
  /** There is more to it than its paths say. */
  readonly vague: boolean
}

export function multiply(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[2] * b[1],
    a[1] * b[0] + a[3] * b[1],
    a[0] * b[2] + a[2] * b[3],
    a[1] * b[2] + a[3] * b[3],
    a[0] * b[4] + a[2] * b[5] + a[4],
    a[1] * b[4] + a[3] * b[5] + a[5],
  ]
}

export function boxOf(m: Matrix, [x1, y1, x2, y2]: Box): Box {
  const xs = [m[0] * x1 + m[2] * y1, m[0] * x2 + m[2] * y1, m[0] * x1 + m[2] * y2, m[0] * x2 + m[2] * y2]
  const ys = [m[1] * x1 + m[3] * y1, m[1] * x2 + m[3] * y1, m[1] * x1 + m[3] * y2, m[1] * x2 + m[3] * y2]
  return [Math.min(...xs) + m[4], Math.min(...ys) + m[5], Math.max(...xs) + m[4], Math.max(...ys) + m[5]]
}

/** Empty where they do not meet: its right is not right of its left. */
export function meet(a: Box, b: Box): Box {
  return [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]
}

export function apart(a: Box, b: Box): boolean {
  return !(a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3])
}

/** The part of `box` that `other` covers, 0 to 1. */
export function share(box: Box, other: Box): number {
  const [x1, y1, x2, y2] = meet(box, other)
  if (!(x1 < x2 && y1 < y2)) return 0
  return ((x2 - x1) * (y2 - y1)) / ((box[2] - box[0]) * (box[3] - box[1]))
}

export function within(box: Box, outer: Box): boolean {
  return box[0] >= outer[0] && box[1] >= outer[1] && box[2] <= outer[2] && box[3] <= outer[3]
}

/** A rectangle whose sides are those of the page narrows the box; anything else is one more path. */
export function narrow(region: Region, path: Path): Region {
  const box = meet(region.box, path.box)
  return path.isRectangle ? { ...region, box } : { ...region, box, paths: [...region.paths, path] }
}

export function placeIn(box: Box, region: Region): Place {
  if (apart(box, region.box)) return 'outside'
  let place: Place = within(box, region.box) && !region.vague ? 'inside' : 'edge'
  for (const path of region.paths) {
    const at = path.isRectangle ? (within(box, path.box) ? 'inside' : 'edge') : placeInPath(box, path)
    if (at === 'outside') return at
    if (at === 'edge') place = at
  }
  return place
}

/** Where no line of the path touches the box, its centre speaks for all of it. */
function placeInPath(box: Box, { segments, evenOdd }: Path): Place {
  const x = (box[0] + box[2]) / 2
  const y = (box[1] + box[3]) / 2
  let winding = 0
  let crossings = 0
  const of = (at: number): number => segments[at] ?? 0
  for (let at = 0; at < segments.length; at += 8) {
    if (touches(box, segments, at, 0)) return 'edge'
    const y1 = of(at + 1)
    const y2 = of(at + 3)
    if (y1 <= y === y2 <= y || of(at) + ((y - y1) / (y2 - y1)) * (of(at + 2) - of(at)) <= x) continue
    winding += y2 > y1 ? 1 : -1
    crossings++
  }
  return (evenOdd ? crossings % 2 : winding) === 0 ? 'outside' : 'inside'
}

function touches(box: Box, segments: Float64Array, at: number, wider: number): boolean {
  return (
    (segments[at + 4] ?? 0) - wider <= box[2] &&
    (segments[at + 6] ?? 0) + wider >= box[0] &&
    (segments[at + 5] ?? 0) - wider <= box[3] &&
    (segments[at + 7] ?? 0) + wider >= box[1]
  )
}

/** At most this part of the box lies under the path as a line of that width. */
export function strokeShare(box: Box, { segments }: Path, width: number): number {
  const area = (box[2] - box[0]) * (box[3] - box[1])
  let covered = 0
  for (let at = 0; at < segments.length; at += 8) {
    if (!touches(box, segments, at, width / 2)) continue
    const [, , , , left = 0, bottom = 0, right = 0, top = 0] = segments.subarray(at, at + 8)
    const half = width / 2
    const [x1, y1, x2, y2] = meet(box, [left - half, bottom - half, right + half, top + half])
    covered += Math.min((x2 - x1) * (y2 - y1), (x2 - x1 + (y2 - y1) + width) * width)
  }
  return Math.min(1, covered / area)
}

/** Four sides, level and upright by turns, that end where they began. */
function isRectangle(segments: readonly number[]): boolean {
  if (segments.length !== 32) return false
  for (let at = 0; at < 32; at += 8) {
    const isLevel = segments[at + 1] === segments[at + 3]
    const isUpright = segments[at] === segments[at + 2]
    const startsLevel = segments[1] === segments[3]
    if (isLevel === isUpright || isLevel !== (startsLevel === (at % 16 === 0))) return false
  }
  return segments[0] === segments[26] && segments[1] === segments[27]
}

const MOVE = 0
const CLOSE = 4
/** How many points each drawing operator of pdf.js has: move, line, curve, curve of one handle, close. */
const POINTS = [1, 1, 3, 2, 0]

/** The drawing operators of pdf.js on the page. Where a curve runs is not computed: it lies in the box around its points. */
export function pathOf(data: ArrayLike<number>, m: Matrix, evenOdd = false): Path {
  const segments: number[] = []
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity]
  let [startX, startY, x, y] = [0, 0, 0, 0]
  const segment = (toX: number, toY: number, left: number, bottom: number, right: number, top: number): void => {
    segments.push(x, y, toX, toY, left, bottom, right, top)
    box[0] = Math.min(box[0], left)
    box[1] = Math.min(box[1], bottom)
    box[2] = Math.max(box[2], right)
    box[3] = Math.max(box[3], top)
    x = toX
    y = toY
  }
  const close = (): void => {
    if (x === startX && y === startY) return
    segment(startX, startY, Math.min(x, startX), Math.min(y, startY), Math.max(x, startX), Math.max(y, startY))
  }
  for (let at = 0; at < data.length; ) {
    const operator = data[at++] ?? CLOSE
    if (operator === MOVE || operator === CLOSE) close()
    let [toX, toY, left, bottom, right, top] = [x, y, x, y, x, y]
    for (const end = at + 2 * (POINTS[operator] ?? 0); at < end; at += 2) {
      const [px, py] = [data[at] ?? 0, data[at + 1] ?? 0]
      toX = m[0] * px + m[2] * py + m[4]
      toY = m[1] * px + m[3] * py + m[5]
      left = Math.min(left, toX)
      bottom = Math.min(bottom, toY)
      right = Math.max(right, toX)
      top = Math.max(top, toY)
    }
    if (operator === MOVE) [startX, startY, x, y] = [toX, toY, toX, toY]
    else if (operator !== CLOSE) segment(toX, toY, left, bottom, right, top)
  }
  close()
  return { segments: Float64Array.from(segments), box, evenOdd, isRectangle: isRectangle(segments) }
}

export function rectanglePath([x1, y1, x2, y2]: Box, m: Matrix): Path {
  return pathOf([MOVE, x1, y1, 1, x2, y1, 1, x2, y2, 1, x1, y2, CLOSE], m)
}
