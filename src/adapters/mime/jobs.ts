/** What is said between the main thread and a worker. */
import type { Readable, SafeHtml } from '../../core/content.ts'
import type { EncodedText } from '../../ports/content-reader.ts'

export type Job =
  | { readonly kind: 'text' | 'html'; readonly part: EncodedText; readonly maxChars: number }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array; readonly maxChars: number }

/**
 * The first message says that the worker is ready; then each job has its answer.
 * `memory` is what the worker holds after it, in bytes.
 */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly output: Readable | SafeHtml; readonly memory: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly memory: number }
