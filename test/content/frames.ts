/**
 * What runs inside of the browser: documents in frames, and where their words are.
 *
 * INVARIANT: each function is handed to the browser as its text, so it uses nothing but its arguments.
 */
import type { Area } from './picture.ts'

export function writeFrames({ htmls, height }: { htmls: readonly string[]; height: number }): void {
  document.body.replaceChildren()
  for (const html of htmls) {
    const box = document.createElement('div')
    const frame = document.createElement('iframe')
    frame.style.height = `${height}px`
    box.append(frame)
    document.body.append(box)
    // Not `srcdoc`: a document without a doctype has to be in quirks mode.
    frame.contentDocument?.open()
    frame.contentDocument?.write(html)
    frame.contentDocument?.close()
  }
}

export function areLoaded(): boolean {
  return [...document.querySelectorAll('iframe')].every((frame) => {
    const inner = frame.contentDocument
    if (inner === null || inner.readyState !== 'complete' || inner.fonts.status !== 'loaded') return inner === null
    return [...inner.images].every((image) => image.complete)
  })
}

export function growFrames({ first, most }: { first: number; most: number }): number[] {
  const frames = [...document.querySelectorAll('iframe')]
  const needed = frames.map(({ contentDocument: inner }) =>
    Math.max(first, inner?.documentElement?.scrollHeight ?? 0, inner?.body?.scrollHeight ?? 0),
  )
  return needed.map((height, at) => {
    const frame = frames[at]
    if (frame !== undefined && height > first) frame.style.height = `${Math.min(height, most)}px`
    return Math.min(height, most)
  })
}

export function placeFrames(
  places: readonly { frame: number; area: { x: number; y: number; height: number } }[],
): void {
  const boxes = [...document.querySelectorAll('div')]
  for (const box of boxes) box.style.left = '-5000px'
  for (const { frame, area } of places) {
    const box = boxes[frame]
    if (box === undefined) continue
    box.style.left = `${area.x}px`
    box.style.top = `${area.y}px`
    box.style.height = `${area.height}px`
  }
}

/** Where the boxes of each canary are, a little larger than they are. */
export function placesOf(asked: readonly { frame: number; canaries: readonly string[] }[]): Area[][][] {
  const frames = [...document.querySelectorAll('iframe')]
  const placesIn = (inner: globalThis.Document, word: string): Area[] => {
    const walker = inner.createTreeWalker(inner.documentElement, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.nodeValue?.indexOf(word) ?? -1
      if (at === -1) continue
      const range = inner.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + word.length)
      return [...range.getClientRects()].map(({ x, y, width, height }) => ({
        x: Math.floor(x) - 3,
        y: Math.floor(y) - 3,
        width: Math.ceil(width) + 6,
        height: Math.ceil(height) + 6,
      }))
    }
    return []
  }
  return asked.map(({ frame, canaries }) => {
    const inner = frames[frame]?.contentDocument
    return canaries.map((word) => (inner ? placesIn(inner, word) : []))
  })
}

export interface PlacedWord {
  readonly word: string
  readonly areas: readonly Area[]
}

/** Every word between two tags, and the boxes that it has. */
export function wordsOf(frame: number): PlacedWord[] {
  const inner = document.querySelectorAll('iframe')[frame]?.contentDocument
  if (!inner?.body) return []
  const found: PlacedWord[] = []
  const walker = inner.createTreeWalker(inner.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (/^(?:style|script|title|template|noframes)$/i.test(node.parentNode?.nodeName ?? '')) continue
    for (const match of (node.nodeValue ?? '').matchAll(/[\p{L}\p{N}]+/gu)) {
      const range = inner.createRange()
      range.setStart(node, match.index)
      range.setEnd(node, match.index + match[0].length)
      const areas = [...range.getClientRects()].map(({ x, y, width, height }) => ({
        x: Math.floor(x),
        y: Math.floor(y),
        width: Math.ceil(width) + 1,
        height: Math.ceil(height) + 1,
      }))
      found.push({ word: match[0], areas })
    }
  }
  return found
}

/** Takes the ink out of all text, and leaves everything where it is. */
export function bleach(frame: number): void {
  const inner = document.querySelectorAll('iframe')[frame]?.contentDocument
  for (const element of inner?.querySelectorAll<HTMLElement>('*') ?? []) {
    element.style?.setProperty('-webkit-text-fill-color', 'transparent', 'important')
    element.style?.setProperty('color', 'transparent', 'important')
    element.style?.setProperty('background-clip', 'border-box', 'important')
  }
}
