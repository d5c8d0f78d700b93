/** The content reader: workers that turn bytes of messages into what a person would have seen. */
import { MOST_ENCODED_TEXT, type Readable, type SafeHtml } from '../../core/content.ts'
import type { HtmlReview } from '../../core/outbox/html-review.ts'
import type { ContentReader, EncodedText } from '../../ports/content-reader.ts'
import type { Log } from '../../ports/log.ts'
import { tooLarge } from './failures.ts'
import type { Output } from './jobs.ts'
import { Pool } from './pool.ts'
import { readTexts } from './read-texts.ts'

/** A longer text is read apart from the others, with more time and memory. */
const LONG_TEXT = 512 * 1024
/** A PDF cannot be read in part, nor can an office file. */
export const MAX_PDF_BYTES = 25 * 1024 * 1024
export const MAX_DOCUMENT_BYTES = MAX_PDF_BYTES
/** Larger than any HTML that a tool takes. */
const MAX_REVIEWED = 1024 * 1024
const MAX_CHARS = 2_000_000

const SHORT = { heapMb: 64, memoryMb: 96, jobMs: 1500 }
/** Long texts, PDFs and office files take much memory, so they share one thread. */
const LONG = { heapMb: 80, memoryMb: 112, jobMs: 5000 }

export function createContentReader(log: Log): ContentReader {
  const short = new Pool(2, SHORT, log)
  const long = new Pool(1, LONG, log)
  const poolFor = ({ bytes }: EncodedText): Pool => (bytes.length > LONG_TEXT ? long : short)
  const reader: ContentReader = {
    text: async (part, maxChars, signal) => readable(await readPart(poolFor(part), 'text', part, maxChars, signal)),
    html: async (part, maxChars, signal) => safe(await readPart(poolFor(part), 'html', part, maxChars, signal)),
    async review(html, signal) {
      if (html.length > MAX_REVIEWED) throw tooLarge('HTML version', html.length, MAX_REVIEWED)
      return reviewed(await short.run({ kind: 'review', html }, [], signal))
    },
    async pdf(bytes, maxChars, signal) {
      if (bytes.length > MAX_PDF_BYTES) throw tooLarge('PDF', bytes.length, MAX_PDF_BYTES)
      const own = new Uint8Array(bytes)
      return readable(await long.run({ kind: 'pdf', bytes: own, maxChars: bounded(maxChars) }, [own.buffer], signal))
    },
    async document(kind, bytes, maxChars, signal) {
      if (kind === 'pdf') return await reader.pdf(bytes, maxChars, signal)
      if (kind === 'html' || kind === 'text') return await reader.text(unlabelled(kind, bytes), maxChars, signal)
      if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge('document', bytes.length, MAX_DOCUMENT_BYTES)
      const own = new Uint8Array(bytes)
      return readable(await long.run({ kind, bytes: own, maxChars: bounded(maxChars) }, [own.buffer], signal))
    },
    texts: (parts, maxChars, signal) => readTexts(parts, maxChars, short, reader, signal),
    async close() {
      await Promise.all([short.close(), long.close()])
    },
  }
  return reader
}

/** Text of which nobody says how it is written. */
function unlabelled(kind: 'html' | 'text', bytes: Uint8Array): EncodedText {
  const type = kind === 'html' ? 'text/html' : 'text/plain'
  return { bytes, type, encoding: '8bit', charset: undefined, flowed: false, delSp: false, complete: true }
}

function readPart(
  pool: Pool,
  kind: 'text' | 'html',
  part: EncodedText,
  maxChars: number,
  signal: AbortSignal,
): Promise<Output> {
  // Copied once and handed over: the caller reads the same bytes as text and as HTML.
  const bytes = new Uint8Array(part.bytes.subarray(0, MOST_ENCODED_TEXT))
  const complete = part.complete && part.bytes.length <= MOST_ENCODED_TEXT
  return pool.run({ kind, part: { ...part, bytes, complete }, maxChars: bounded(maxChars) }, [bytes.buffer], signal)
}

function bounded(maxChars: number): number {
  return Math.max(0, Math.min(MAX_CHARS, Math.floor(maxChars)))
}

function readable(output: Output): Readable {
  if ('text' in output) return output
  throw new Error('the worker answered with HTML instead of text')
}

function reviewed(output: Output): HtmlReview {
  if ('pieces' in output) return output
  throw new Error('the worker answered with a text instead of a review')
}

function safe(output: Output): SafeHtml {
  if ('html' in output) return output
  throw new Error('the worker answered with text instead of HTML')
}
