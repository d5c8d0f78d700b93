/**
 * What of a message is its body, and what is attached to it.
 *
 * INVARIANT: every part that is no multipart is part of the body, an attachment, or another version of what the body says; a
 * `text/x-amp-html` part is none of them, since no reader but a few web mailers shows it.
 */
import type { Part } from './part.ts'
import { AMP_HTML } from './unseen.ts'

/** A part whose children are of its own kind, so that whoever asks about located parts gets located parts. */
type Tree<P> = Omit<Part, 'children'> & { readonly children: readonly P[] }

/** One text of a message in its versions: each is the parts that make it up, in order. At least one has parts. */
export interface Body<P = Part> {
  readonly plain: readonly P[]
  readonly html: readonly P[]
}

export const MAX_ATTACHMENTS = 1_000
/** Further texts are attachments. */
const MAX_BODIES = 50

type Leaf = Omit<Part, 'children'>
type Choice = (leaf: Leaf) => boolean

/**
 * What a mail program would show, in order: the first text, and every later one that has no file name. A message may show
 * several: a mailing list adds a footer, some programs put a text before and after each picture.
 */
export function chooseBodies<P extends Tree<P>>(root: P): readonly Body<P>[] {
  const bodies = choose(root, isUnnamedText).filter((body, at) => at === 0 || !hasName(body))
  return bodies.length === 0 ? choose(root, isInlineText).slice(0, 1) : bodies.slice(0, MAX_BODIES)
}

function choose<P extends Tree<P>>(part: P, isBody: Choice): readonly Body<P>[] {
  if (part.type === 'multipart/alternative') return chooseVersions(part, isBody)
  if (part.type === 'multipart/related') return chooseFirst(rootFirst(part), isBody)
  if (part.type.startsWith('multipart/')) return part.children.flatMap((child) => choose(child, isBody))
  if (!isBody(part)) return []
  return [part.type === 'text/html' ? { plain: [], html: [part] } : { plain: [part], html: [] }]
}

/** Of several versions of one kind a mail program shows the last, the nearest to the original (RFC 2046, 5.1.4). */
function chooseVersions<P extends Tree<P>>(part: P, isBody: Choice): readonly Body<P>[] {
  let plain: readonly P[] = []
  let html: readonly P[] = []
  for (const child of part.children) {
    const its = choose(child, isBody)
    const isPlain = its.every((body) => body.plain.length > 0)
    const itsPlain = isPlain ? its.flatMap((body) => body.plain) : []
    // Hardly any program shows enriched text where there is plain text too.
    const isBest = itsPlain.length > 0 && itsPlain.every(({ type }) => type === 'text/plain')
    if (plain.length === 0 || isBest) plain = itsPlain
    if (its.some((body) => body.html.length > 0)) {
      html = its.flatMap((body) => (body.html.length > 0 ? body.html : body.plain))
    }
  }
  return plain.length === 0 && html.length === 0 ? [] : [{ plain, html }]
}

/** The root of related parts is shown, the others are what it refers to. */
function rootFirst<P extends Tree<P>>({ parameters, children }: P): readonly P[] {
  const start = parameters['start']?.replace(/^<|>$/g, '')
  const named = start === undefined ? undefined : children.find(({ contentId }) => contentId === start)
  return named === undefined ? children : [named, ...children]
}

function chooseFirst<P extends Tree<P>>(parts: readonly P[], isBody: Choice): readonly Body<P>[] {
  for (const part of parts) {
    const bodies = choose(part, isBody)
    if (bodies.length > 0) return bodies
  }
  return []
}

function hasName<P extends Leaf>({ plain, html }: Body<P>): boolean {
  return [...plain, ...html].some(({ filename }) => filename !== undefined)
}

const READABLE = new Set(['text/plain', 'text/html', 'text/enriched', 'text/richtext'])

/** Text that stands in the message itself: a name makes it a file, unless it says that it is to be shown in place. */
function isUnnamedText({ type, disposition, filename }: Leaf): boolean {
  return READABLE.has(type) && (disposition === 'inline' || (disposition === undefined && filename === undefined))
}

function isInlineText({ type, disposition }: Leaf): boolean {
  return READABLE.has(type) && disposition !== 'attachment'
}

/** Everything that is neither body nor version of a body: files, images shown in place, messages, invitations. */
export function attachmentsOf<P extends Tree<P>>(root: P, max = MAX_ATTACHMENTS): P[] {
  const shown = new Set(chooseBodies(root).flatMap(({ plain, html }) => [...plain, ...html]))
  const attachments: P[] = []
  const visit = (part: P, inAlternative: boolean): void => {
    if (attachments.length >= max || shown.has(part)) return
    if (part.type.startsWith('multipart/')) {
      for (const child of part.children) visit(child, inAlternative || part.type === 'multipart/alternative')
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
