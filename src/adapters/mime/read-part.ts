/**
 * What a worker does with one piece of a message. Pure apart from loading its libraries: no network, no files.
 *
 * INVARIANT: linear in the size of the bytes, results within `maxChars`.
 */
import { mergeWarnings, type Readable, type SafeHtml, type Warning } from '../../core/content.ts'
import { decodeText } from '../../core/mime/text-charset.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import { passagesForAi } from '../../core/text/addressed-to-ai.ts'
import { cut } from '../../core/text/cut.ts'
import { cleanText } from '../../core/text/plain.ts'
import type { EncodedText } from '../../ports/content-reader.ts'
import { withoutDataContent } from './data-uris.ts'
import { unflow } from './flowed.ts'
import type { FileKind } from './jobs.ts'
import { countSuspiciousInText } from './links.ts'
import { visibleText } from './visible-text.ts'

/** Bytes of text that are looked at once transfer encoding and pictures inside of a page are gone. */
const MOST_DECODED = 4 * 1024 * 1024

export function readText(encoded: EncodedText, maxChars: number): Readable {
  const { text, part } = decode(encoded)
  return hinted(part.type === 'text/html' ? readHtml(text, part, maxChars) : readPlain(text, part, maxChars))
}

export async function readSafeHtml(encoded: EncodedText, maxChars: number): Promise<SafeHtml> {
  const { safeHtml, textAsHtml } = await import('./safe-html.ts')
  const { text, part } = decode(encoded)
  const { html, truncated } =
    part.type === 'text/html' ? safeHtml(text, maxChars) : textAsHtml(unflowed(lineFeeds(text), part), maxChars)
  return { html, truncated: truncated || !part.complete }
}

export async function readPdf(bytes: Uint8Array, maxChars: number): Promise<Readable> {
  return hinted(await (await import('./pdf.ts')).readPdf(bytes, maxChars))
}

export async function readFile(kind: FileKind, bytes: Uint8Array, maxChars: number): Promise<Readable> {
  const { readDocument } = await import('./documents/read-document.ts')
  return hinted(await readDocument(kind, bytes, maxChars))
}

/** With a warning where the text, as shown, speaks to an AI. */
function hinted(read: Readable): Readable {
  const count = passagesForAi(read.text) + passagesForAi(read.uncertain)
  return { ...read, warnings: mergeWarnings(read.warnings, [{ kind: 'instructions_for_ai', count }]) }
}

/** `part` says whether the text is complete as far as it is looked at. */
function decode(encoded: EncodedText): { readonly text: string; readonly part: EncodedText } {
  const bytes = decodeTransfer(encoded.bytes, encoded.encoding)
  const lean = encoded.type === 'text/html' ? withoutDataContent(bytes) : bytes
  const part = { ...encoded, complete: encoded.complete && lean.length <= MOST_DECODED }
  return { text: decodeText(lean.subarray(0, MOST_DECODED), part, { partial: !part.complete }), part }
}

function readHtml(html: string, part: EncodedText, maxChars: number): Readable {
  const seen = visibleText(html, maxChars, part.subject)
  const clean = cleanText(seen.text)
  const short = cut(clean.text, maxChars)
  const unsure = cleanText(seen.uncertain)
  // A rule further down may hide what we show: a reader of only the first part cannot know.
  const cutOff: Warning[] = part.complete ? [] : [{ kind: 'content_incomplete', count: 1 }]
  return {
    text: short.text,
    uncertain: cut(unsure.text, maxChars).text,
    truncated: seen.truncated || short.truncated || !part.complete,
    warnings: mergeWarnings(seen.warnings, clean.warnings, unsure.warnings, cutOff),
  }
}

function readPlain(text: string, part: EncodedText, maxChars: number): Readable {
  const clean = cleanText(lineFeeds(text))
  const shown = unflowed(clean.text, part).trimEnd()
  const short = cut(shown, maxChars)
  const links: Warning[] = [{ kind: 'suspicious_link', count: countSuspiciousInText(shown) }]
  return {
    text: short.text,
    uncertain: '',
    truncated: short.truncated || !part.complete,
    warnings: mergeWarnings(clean.warnings, links),
  }
}

function unflowed(text: string, { flowed, delSp }: EncodedText): string {
  return flowed ? unflow(text, delSp) : text
}

/** Old Macintoshes end their lines with CR alone. */
function lineFeeds(text: string): string {
  return text.includes('\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\r', '\n')
}
