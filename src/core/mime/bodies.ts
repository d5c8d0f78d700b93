/**
 * What of a message is its body, and what is attached to it.
 *
 * INVARIANT: every part that is no multipart is a body, an attachment, or another version of what a body says; a
 * `text/x-amp-html` part is none of them, since no reader but a few web mailers shows it.
 */
import type { Part } from './part.ts'
import { AMP_HTML } from './unseen.ts'

/** A part whose children are of its own kind, so that whoever asks about located parts gets located parts. */
type Tree<P> = Omit<Part, 'children'> & { readonly children: readonly P[] }

export interface Bodies<P = Part> {
  readonly plain?: P
  readonly html?: P
  /** Whether the two are offered as versions of one text. */
  readonly alternatives: boolean
}

export const MAX_ATTACHMENTS = 1_000

type Leaf = Omit<Part, 'children'>
type Choice = (leaf: Leaf) => boolean

/** What a mail program would show: the first text, as plain text and as HTML where both are offered. */
export function chooseBodies<P extends Tree<P>>(root: P): Bodies<P> {
  const body = choose(root, isUnnamedText)
  return isEmpty(body) ? choose(root, isInlineText) : body
}

function choose<P extends Tree<P>>(part: P, isBody: Choice): Bodies<P> {
  if (part.type === 'multipart/alternative') return chooseVersions(part, isBody)
  if (part.type === 'multipart/related') return chooseFirst(rootFirst(part), isBody)
  if (part.type.startsWith('multipart/')) return chooseFirst(part.children, isBody)
  if (!isBody(part)) return { alternatives: false }
  return part.type === 'text/html' ? { html: part, alternatives: false } : { plain: part, alternatives: false }
}

/** Of several versions of one kind a mail program shows the last, the nearest to the original (RFC 2046, 5.1.4). */
function chooseVersions<P extends Tree<P>>(part: P, isBody: Choice): Bodies<P> {
  let plain: P | undefined
  let html: P | undefined
  for (const child of part.children) {
    const body = choose(child, isBody)
    // Hardly any program shows enriched text where there is plain text too.
    if (plain === undefined || body.plain?.type === 'text/plain') plain = body.plain ?? plain
    html = body.html ?? html
  }
  return { ...(plain && { plain }), ...(html && { html }), alternatives: plain !== undefined && html !== undefined }
}

/** The root of related parts is shown, the others are what it refers to. */
function rootFirst<P extends Tree<P>>({ parameters, children }: P): readonly P[] {
  const start = parameters['start']?.replace(/^<|>$/g, '')
  const named = start === undefined ? undefined : children.find(({ contentId }) => contentId === start)
  return named === undefined ? children : [named, ...children]
}

function chooseFirst<P extends Tree<P>>(parts: readonly P[], isBody: Choice): Bodies<P> {
  for (const part of parts) {
    const body = choose(part, isBody)
    if (!isEmpty(body)) return body
  }
  return { alternatives: false }
}

function isEmpty<P>({ plain, html }: Bodies<P>): boolean {
  return plain === undefined && html === undefined
}

const READABLE = new Set(['text/plain', 'text/html', 'text/enriched', 'text/richtext'])

/** Text that stands in the message itself: a name makes it a file, unless it says that it is to be shown in place. */
function isUnnamedText({ type, disposition, filename }: Leaf): boolean {
  return READABLE.has(type) && (disposition === 'inline' || (disposition === undefined && filename === undefined))
}

function isInlineText({ type, disposition }: Leaf): boolean {
  return READABLE.has(type) && disposition !== 'attachment'
}

/** Everything that is neither body nor version of a body: files, images shown in place, messages, invitations, later text. */
export function attachmentsOf<P extends Tree<P>>(root: P, max = MAX_ATTACHMENTS): P[] {
  const { plain, html } = chooseBodies(root)
  const attachments: P[] = []
  const visit = (part: P, inAlternative: boolean): void => {
    if (attachments.length >= max || part === plain || part === html) return
    if (part.type.startsWith('multipart/')) {
      for (const child of part.children) visit(child, part.type === 'multipart/alternative')
    } else if (!(inAlternative && isVersion(part)) && part.type !== AMP_HTML) attachments.push(part)
  }
  visit(root, false)
  return attachments
}

/** An invitation comes among the versions of a text, yet it says what no other version does. */
function isVersion({ type, filename, disposition }: Leaf): boolean {
  return type.startsWith('text/') && type !== 'text/calendar' && filename === undefined && disposition !== 'attachment'
}

/** About how many bytes a part has once its transfer encoding is undone: exact where nothing is encoded. */
export function decodedSize({ encoding, size }: Pick<Part, 'encoding' | 'size'>): number {
  switch (encoding) {
    case 'base64':
      // 57 bytes make a line of 76 characters and a line break.
      return Math.floor((size * 57) / 78)
    case 'uuencode':
    case 'x-uuencode':
    case 'x-uue':
      return Math.floor((size * 45) / 63)
    default:
      return size
  }
}
