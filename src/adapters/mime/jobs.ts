/** What is said between the main thread and a worker. */
import type { Readable, SafeHtml } from '../../core/content.ts'
import type { DocumentKind } from '../../core/mime/documents.ts'
import type { HtmlReview } from '../../core/outbox/html-review.ts'
import type { EncodedText } from '../../ports/content-reader.ts'

/** Documents that are read neither as text nor as a PDF. */
export type FileKind = Exclude<DocumentKind, 'pdf' | 'html' | 'text'>

/** `texts` has the answers to all of its parts, in their order. */
export type Output = Readable | SafeHtml | HtmlReview | readonly Readable[]

export type Job =
  | { readonly kind: 'text' | 'html'; readonly part: EncodedText; readonly maxChars: number }
  | { readonly kind: 'texts'; readonly parts: readonly EncodedText[]; readonly maxChars: number }
  | { readonly kind: 'review'; readonly html: string }
  | { readonly kind: 'pdf' | FileKind; readonly bytes: Uint8Array; readonly maxChars: number }

/**
 * The first message says that the worker is ready; then each job has its answer.
 * `memory` is what the worker then holds, in bytes.
 */
export type Answer =
  | { readonly kind: 'ready'; readonly memory: number }
  | { readonly kind: 'done'; readonly output: Output; readonly memory: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly memory: number }

/** What a job reads, for errors: `the PDF takes too long to read`. */
export function subjectOf({ kind }: Job): string {
  if (kind === 'pdf') return 'PDF'
  return kind === 'text' || kind === 'texts' || kind === 'html' || kind === 'review' ? 'message text' : 'document'
}
