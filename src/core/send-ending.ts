/** What became of a message that was to be sent. */
import type { PendingLimit } from './policy/sending.ts'
import type { Issue } from './results.ts'

/** How far a letter got, and which one it is in the outbox. */
export type SendEnding = SendStep & { readonly letter?: { readonly id: string; readonly digest: string } }

export type SendStep =
  | {
      readonly kind: 'sent'
      readonly messageId: string
      readonly threadId: string | undefined
      /** Those that the server would not take, where it took others. */
      readonly refused: readonly string[]
      readonly issues: readonly Issue[]
      /** Whether it was sent before this call, and its caller is told so for the first time. */
      readonly sentBefore?: boolean
    }
  /** The same content was sent lately: it is not sent again. */
  | {
      readonly kind: 'already_sent'
      readonly id: string
      readonly at: number
      readonly messageId: string
      readonly threadId: string | undefined
    }
  /** Nothing may leave: it was only noted. */
  | { readonly kind: 'held_back' }
  /** A person has to say yes first. */
  | {
      readonly kind: 'waiting'
      readonly id: string
      readonly file: string
      readonly notes: readonly string[]
      /** Whether an approval file counts that a person writes by hand. */
      readonly byHand: boolean
      /** An earlier request for the same content that came to nothing, where this call made a new one. */
      readonly earlier?: { readonly id: string; readonly state: 'expired' | 'failed'; readonly at: number }
    }
  /** A message like it, but for small edits, is pending or approved: that one's id. This one is not kept. */
  | {
      readonly kind: 'similar'
      readonly id: string
      readonly standing: 'pending' | 'approved'
      readonly file?: string
      /** Whether that one is a version made by a person, which no call can send. */
      readonly isVersion?: boolean
    }
  /** Too many of its caller's messages were not sent yet. This one is not kept. */
  | { readonly kind: 'pending_limit'; readonly held: PendingLimit; readonly limit: PendingLimit }
  | { readonly kind: 'limited'; readonly waitMs: number; readonly most: number }
  /** A person has said no. */
  | { readonly kind: 'rejected'; readonly id: string; readonly reason: string | undefined }
  /** Another call is sending this very letter. */
  | { readonly kind: 'under_way'; readonly id: string }
  /** This call has begun to send it, and its time is up: the sending goes on. */
  | { readonly kind: 'sending'; readonly id: string }
  /** It is not known whether it was sent. */
  | { readonly kind: 'needs_operator'; readonly id: string }
