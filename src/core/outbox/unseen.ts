/**
 * What an outgoing message holds that its recipients will not or may not see, and what its HTML version shows them.
 *
 * INVARIANT: linear in the size of the message, never throws. What is listed here is listed besides being shown in its place; all of
 * it has to be acknowledged before the message can be approved.
 */
import { type HtmlPiece, type HtmlReview, unjudged, visibleIn } from './html-review.ts'
import { textOfPlainHtml } from './plain-html.ts'
import type { Sending } from './sending.ts'
import { writeOut } from './written-out.ts'

/** One thing: what it is in our words, and the message's own text of it. */
export interface Unseen {
  readonly what: string
  readonly text: string
  /** How often it is there. */
  readonly count: number
}

export interface OutgoingReview {
  /** Where there is an HTML version. */
  readonly html: HtmlReview | undefined
  /** The HTML version shows what the text says. */
  readonly isSameText: boolean
  readonly unseen: readonly Unseen[]
}

/** `html` is what was found in the HTML version; without it whatever is more than a text counts as unseen. */
export function reviewSending(sending: Pick<Sending, 'subject' | 'text' | 'html'>, html?: HtmlReview): OutgoingReview {
  const review = sending.html === undefined ? undefined : (html ?? withoutReader(sending.html))
  const shown = review === undefined ? '' : visibleIn(review)
  const found = [
    ...(review === undefined ? [] : unseenIn(review, shown, sending.text)),
    ...invisible('the subject', sending.subject),
    ...invisible('the text', sending.text),
    ...invisible('the HTML version', sending.html ?? ''),
  ]
  return { html: review, isSameText: review === undefined || isSameText(shown, sending.text), unseen: counted(found) }
}

/** How lines are broken, and how a quotation is marked, makes no difference. */
export function isSameText(one: string, other: string): boolean {
  return essence(one) === essence(other)
}

const LABELS: Readonly<Record<HtmlPiece['kind'], string>> = {
  text: 'text',
  hidden: 'hidden text',
  uncertain: 'uncertain text, a recipient may not see this',
  link: 'link to',
  load: 'loads when opened',
  attribute: 'attribute',
  comment: 'comment',
  style: 'style sheet',
  look: 'style sheet',
  script: 'script',
}

/** `hidden text`, `loads when opened, img src`: what a piece is called wherever it is shown. */
export function labelOf({ kind, name }: Pick<HtmlPiece, 'kind' | 'name'>): string {
  return name === undefined || name === kind || kind === 'style' ? LABELS[kind] : `${LABELS[kind]}, ${name}`
}

/** `2 hidden texts, 1 …` in a few words, for a question. */
export function summaryOf(unseen: readonly Unseen[]): string {
  const counts = new Map<string, number>()
  for (const { what, count } of unseen) {
    const kind = what.split(',')[0] ?? what
    counts.set(kind, (counts.get(kind) ?? 0) + count)
  }
  return [...counts].map(([kind, count]) => `${kind} (${count})`).join(', ')
}

function unseenIn(review: HtmlReview, shown: string, text: string): Omit<Unseen, 'count'>[] {
  const pieces = review.pieces
    .filter(({ kind }) => kind !== 'text' && kind !== 'link' && kind !== 'look')
    .map((piece) => ({ what: labelOf(piece), text: piece.text }))
  const links = review.pieces.filter(({ kind }) => kind === 'link').map((piece) => piece.text)
  const words = wordsOnlyIn(text, [shown, ...links])
  return [
    ...(review.isJudged ? [] : [{ what: 'HTML version', text: 'too contrived or too long to be judged' }]),
    ...pieces,
    ...(review.misleadingLinks === 0
      ? []
      : [{ what: 'misleading links', text: `${review.misleadingLinks} disguise where they lead` }]),
    ...(words.length === 0 ? [] : [{ what: 'only in the text version', text: words.join(' ') }]),
  ]
}

function invisible(where: string, text: string): Omit<Unseen, 'count'>[] {
  const { numbers } = writeOut(text)
  return numbers === 0 ? [] : [{ what: 'invisible characters', text: `${numbers} in ${where}, shown as [U+…]` }]
}

function counted(found: readonly Omit<Unseen, 'count'>[]): Unseen[] {
  const byKey = new Map<string, Unseen>()
  for (const { what, text } of found) {
    const key = JSON.stringify([what, text])
    byKey.set(key, { what, text, count: (byKey.get(key)?.count ?? 0) + 1 })
  }
  return [...byKey.values()]
}

function withoutReader(html: string): HtmlReview {
  const text = textOfPlainHtml(html)
  if (text === undefined) return unjudged(html)
  return { pieces: [{ kind: 'text', text }], isJudged: true, misleadingLinks: 0 }
}

const WORD = /[\p{L}\p{N}]+/gu

/** Most recipients read one version only: what just the other one says is not seen by them. */
function wordsOnlyIn(text: string, shown: readonly string[]): readonly string[] {
  const known = new Set(shown.flatMap((one) => one.toLowerCase().match(WORD) ?? []))
  const words = text.match(WORD) ?? []
  return [...new Set(words.filter((word) => !known.has(word.toLowerCase())))]
}

function essence(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^[> ]+/, ''))
    .join(' ')
    .replace(/\s+/gu, ' ')
    .trim()
}
