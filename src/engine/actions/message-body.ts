/** The body of a message as a person would see it, and what was kept from the reader. */
import type { ActionOf } from '../../core/action.ts'
import { MOST_SEARCHED_CHARS, type Readable, type SafeHtml, type Warning } from '../../core/content.ts'
import type { Part, PartBytes } from '../../core/message.ts'
import type { Body as VersionParts } from '../../core/mime/bodies.ts'
import type { Issue, MessageView } from '../../core/results.ts'
import { cut } from '../../core/text/cut.ts'
import { uncertainPage } from '../../core/text/uncertain.ts'
import type { EncodedText } from '../../ports/content-reader.ts'
import { encodedBody, joinedTexts, shownBody } from '../sync/visible-body.ts'
import { Steps } from './steps.ts'
import type { Workshop } from './workshop.ts'

export interface Bodies {
  readonly subject?: string | undefined
  readonly bodies: readonly VersionParts[]
}

export interface Body {
  readonly shown: Pick<MessageView, 'text' | 'textTruncated' | 'html' | 'htmlTruncated' | 'uncertain'>
  readonly warnings: readonly Warning[]
  readonly issues: readonly Issue[]
}

export async function readBody(
  { subject, bodies }: Bodies,
  parts: ReadonlyMap<string, PartBytes>,
  { bodyChars, html: htmlAsked, uncertainFrom }: ActionOf<'read_message'>,
  { content, signal }: Workshop,
): Promise<Body> {
  const steps = new Steps()
  const read = async (part: Part): Promise<Readable | undefined> => {
    const encoded = encode(part, parts, subject)
    if (encoded === undefined) return part.size > 0 ? NOT_READ : undefined
    const isHtml = part.type === 'text/html'
    const step = await steps.run(isHtml ? 'read_html' : 'read_text', () =>
      content.text(encoded, MOST_SEARCHED_CHARS, signal),
    )
    return step.ok ? step.value : isHtml ? NOT_READ : undefined
  }
  const readAll = async (version: readonly Part[]): Promise<Readable | undefined> =>
    joinedTexts((await Promise.all(version.map(read))).flatMap((text) => text ?? []))
  const texts = await Promise.all(
    bodies.map(async ({ plain, html }) => {
      const [plainText, htmlText] = await Promise.all([readAll(plain), readAll(html)])
      return shownBody(plainText, htmlText) ?? []
    }),
  )
  const text = joinedTexts(texts.flat())
  const safe = htmlAsked ? await safeHtml(bodies, parts, bodyChars, steps, { content, signal }) : undefined
  return {
    shown: { ...shownText(text, bodyChars, uncertainFrom), ...shownHtml(safe) },
    warnings: text?.warnings ?? [],
    issues: steps.issues,
  }
}

/** There is something that could not be downloaded with the rest. */
const NOT_READ: Readable = { text: '', uncertain: '', truncated: true, warnings: [] }

/** Of each text its HTML, and where it has none the text as HTML. Undefined where none has HTML. */
async function safeHtml(
  bodies: readonly VersionParts[],
  parts: ReadonlyMap<string, PartBytes>,
  maxChars: number,
  steps: Steps,
  { content, signal }: Pick<Workshop, 'content' | 'signal'>,
): Promise<SafeHtml | undefined> {
  if (bodies.every(({ html }) => html.length === 0)) return undefined
  const pieces: SafeHtml[] = []
  let room = maxChars
  for (const part of bodies.flatMap(({ plain, html }) => (html.length > 0 ? html : plain))) {
    const encoded = encode(part, parts, undefined)
    if (encoded === undefined) continue
    const step = await steps.run('sanitise_html', () => content.html(encoded, room, signal))
    if (!step.ok) continue
    pieces.push(step.value)
    room = Math.max(0, room - step.value.html.length)
  }
  if (pieces.length === 0) return undefined
  return { html: pieces.map(({ html }) => html).join('\n'), truncated: pieces.some(({ truncated }) => truncated) }
}

function encode(
  part: Part,
  parts: ReadonlyMap<string, PartBytes>,
  subject: string | undefined,
): EncodedText | undefined {
  const downloaded = parts.get(part.id)
  return downloaded && encodedBody(part, downloaded, subject)
}

function shownText(
  read: Readable | undefined,
  maxChars: number,
  uncertainFrom: number | undefined,
): Pick<MessageView, 'text' | 'textTruncated' | 'uncertain'> {
  if (read === undefined) return { text: undefined, textTruncated: false }
  const { text, truncated } = cut(read.text, maxChars)
  const uncertain = uncertainPage(read.uncertain, uncertainFrom)
  return { text, textTruncated: truncated || read.truncated, ...(uncertain && { uncertain }) }
}

function shownHtml(safe: SafeHtml | undefined): Pick<MessageView, 'html' | 'htmlTruncated'> {
  return { html: safe?.html, htmlTruncated: safe?.truncated ?? false }
}
