/** The body of a message as a person would see it, and what was kept from the reader. */
import type { ActionOf } from '../../core/action.ts'
import { mergeWarnings, type Readable, type SafeHtml, type Warning } from '../../core/content.ts'
import type { Part, PartBytes } from '../../core/message.ts'
import type { Issue, MessageView } from '../../core/results.ts'
import { alternativesDiffer } from '../../core/text/alternatives.ts'
import { cut } from '../../core/text/cut.ts'
import type { EncodedText } from '../../ports/content-reader.ts'
import { encodedBody, shownBody } from '../sync/visible-body.ts'
import { Steps } from './steps.ts'
import type { Workshop } from './workshop.ts'

export interface Bodies {
  readonly subject?: string | undefined
  readonly plain?: Part | undefined
  readonly html?: Part | undefined
}

export interface Body {
  readonly shown: Pick<MessageView, 'text' | 'textTruncated' | 'html' | 'htmlTruncated'>
  readonly warnings: readonly Warning[]
  readonly issues: readonly Issue[]
}

/** Enough of both alternatives to see whether they say the same. */
const COMPARED_CHARS = 20_000

export async function readBody(
  { subject, ...bodies }: Bodies,
  parts: ReadonlyMap<string, PartBytes>,
  { bodyChars, html: htmlAsked }: ActionOf<'read_message'>,
  { content, signal }: Workshop,
): Promise<Body> {
  const steps = new Steps()
  const encoded = { plain: encode(bodies.plain, parts, subject), html: encode(bodies.html, parts, subject) }
  const chars = Math.max(bodyChars, COMPARED_CHARS)
  const read = async (part: EncodedText | undefined, stage: string): Promise<Readable | undefined> => {
    if (part === undefined) return undefined
    const step = await steps.run(stage, () => content.text(part, chars, signal))
    return step.ok ? step.value : undefined
  }
  const [plain, html] = await Promise.all([read(encoded.plain, 'read_text'), read(encoded.html, 'read_html')])
  const text = shownBody(plain, html)
  const source = encoded.html
  const safe =
    htmlAsked && source ? await steps.run('sanitise_html', () => content.html(source, bodyChars, signal)) : undefined
  return {
    shown: { ...shownText(text, bodyChars), ...shownHtml(safe?.ok ? safe.value : undefined) },
    warnings: mergeWarnings(plain?.warnings ?? [], html?.warnings ?? [], difference(plain, html)),
    issues: steps.issues,
  }
}

function encode(
  part: Part | undefined,
  parts: ReadonlyMap<string, PartBytes>,
  subject: string | undefined,
): EncodedText | undefined {
  const downloaded = part && parts.get(part.id)
  return downloaded && encodedBody(part, downloaded, subject)
}

function shownText(read: Readable | undefined, maxChars: number): Pick<MessageView, 'text' | 'textTruncated'> {
  if (read === undefined) return { text: undefined, textTruncated: false }
  const { text, truncated } = cut(read.text, maxChars)
  return { text, textTruncated: truncated || read.truncated }
}

function shownHtml(safe: SafeHtml | undefined): Pick<MessageView, 'html' | 'htmlTruncated'> {
  return { html: safe?.html, htmlTruncated: safe?.truncated ?? false }
}

function difference(plain: Readable | undefined, html: Readable | undefined): Warning[] {
  if (plain === undefined || html === undefined) return []
  const differ = alternativesDiffer(plain.text, html.text, { partial: plain.truncated || html.truncated })
  return differ ? [{ kind: 'alternatives_differ', count: 1 }] : []
}
