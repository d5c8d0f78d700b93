/**
 * How techniques and ordinary mail are written down: HTML with `CANARY` where the text stands whose sight is in question.
 *
 * INVARIANT: a case never says whether its text is seen. Chromium does (oracle.ts).
 */
import { canary } from './canary.ts'
import type { Document } from './oracle.ts'

export interface Group {
  readonly name: string
  readonly cases: readonly string[]
}

export interface Case extends Document {
  readonly group: string
  readonly number: number
}

const FRAME = '<!doctype html><html><head><meta charset="utf-8"></head><body><p>Dear all,</p>'
const END = '<p>Kind regards, Ada</p></body></html>'

/** A fragment becomes the middle of a short message; a whole document stays as it is. */
export function documentOf(html: string, number: number): Document {
  const whole = /^\s*<(?:!doctype|html|\?xml|frameset|body|head)\b/i.test(html)
  const word = canary(number)
  return { html: (whole ? html : FRAME + html + END).replaceAll('CANARY', word), canaries: [word] }
}

export function casesOf(groups: readonly Group[]): Case[] {
  return groups.flatMap(({ name, cases }, group) =>
    cases.map((html, number) => ({ group: name, number, ...documentOf(html, group * 500 + number) })),
  )
}

/** A block with these declarations: `styled('display:none')`. */
export function styled(...styles: readonly string[]): string[] {
  return styles.map((style) => `<div style="${style.replaceAll('"', '&quot;')}">CANARY</div>`)
}

/** A span with these declarations between ordinary words. */
export function inline(...styles: readonly string[]): string[] {
  return styles.map(
    (style) => `<p>The plan <span style="${style.replaceAll('"', '&quot;')}">CANARY</span> is fine.</p>`,
  )
}

/** A sheet before a block of class `x` in a block of class `o`. */
export function sheet(...sheets: readonly string[]): string[] {
  return sheets.map((css) => `<style>${css}</style><div class="o"><p class="x" id="x">CANARY</p></div>`)
}
