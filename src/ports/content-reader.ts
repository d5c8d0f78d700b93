/**
 * Turns bytes of a message into what a person looking at it would have seen.
 *
 * Promises: every call is bounded in time and memory whatever the bytes, and runs outside the main thread; one that
 * goes over is `Failure('unreadable')` or `('timeout')` and harms no other call. Remote content is never loaded.
 * Results are bounded by `maxChars`, never cut inside a character.
 */
import type { Readable, SafeHtml } from '../core/content.ts'
import type { Failure } from '../core/failure.ts'
import type { DocumentKind } from '../core/mime/documents.ts'
import type { HtmlReview } from '../core/outbox/html-review.ts'

export interface EncodedText {
  readonly bytes: Uint8Array
  /** Lower case content-transfer-encoding. */
  readonly encoding: string
  readonly charset: string | undefined
  readonly type: 'text/plain' | 'text/html'
  /** RFC 3676 format=flowed. */
  readonly flowed: boolean
  readonly delSp: boolean
  /** False when `bytes` is only the beginning of the part. */
  readonly complete: boolean
  /** The subject of its message, where known: a page that repeats it as its title hides nothing. */
  readonly subject?: string
}

export interface ContentReader {
  /** The visible text of a body part: decoded, hidden text and invisible characters gone and counted. */
  text(part: EncodedText, maxChars: number, signal: AbortSignal): Promise<Readable>
  /** The part as HTML that loads nothing and runs nothing, hidden text gone. */
  html(part: EncodedText, maxChars: number, signal: AbortSignal): Promise<SafeHtml>
  /** All that stands in the HTML of an outgoing message, with what its recipients would not see marked. Nothing is left out. */
  review(html: string, signal: AbortSignal): Promise<HtmlReview>
  /** The text of a PDF, `bytes` decoded already. */
  pdf(bytes: Uint8Array, maxChars: number, signal: AbortSignal): Promise<Readable>
  /**
   * The visible text of a document of any kind, `bytes` decoded already: nothing that is hidden or deleted in it. Text and
   * HTML are taken for UTF-8 where they can be: where their charset is known, `text` knows better.
   */
  document(kind: DocumentKind, bytes: Uint8Array, maxChars: number, signal: AbortSignal): Promise<Readable>
  /** As `text`, of many parts in one go, in their order; one that cannot be read is a failure in its place. */
  texts(parts: readonly EncodedText[], maxChars: number, signal: AbortSignal): Promise<readonly (Readable | Failure)[]>
  /** Ends the workers. */
  close(): Promise<void>
}
