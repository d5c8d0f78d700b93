/** One letter on its way out, from the moment it is asked for until it is settled. */
import type { Sending } from './sending.ts'

export interface OutboxEntry {
  /** Letters, digits and `-`: safe in a file name and on a command line. */
  readonly id: string
  /** SHA-256 in hex of the canonical text of `sending`. */
  readonly digest: string
  readonly sending: Sending
  /** With its angle brackets; chosen when it was queued, as were date and boundaries, and kept for every attempt. */
  readonly messageId: string
  /** SHA-256 in hex of the message as it will go out. */
  readonly bytesDigest: string
  /** What a person should notice about who gets it. */
  readonly marks: readonly RecipientMark[]
  /** Milliseconds since 1970, as all times here. */
  readonly created: number
  /** Until then a person may approve it. */
  readonly expires: number
  readonly state: EntryState
}

export interface RecipientMark {
  readonly address: string
  /** `repeated`: the very same letter has gone to it within a day. */
  readonly mark: 'new' | 'look_alike' | 'repeated'
  /** Whom it looks like. */
  readonly like?: string
}

export type EntryState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'approved'; readonly approval: Approval; readonly lastFailure?: string }
  | { readonly kind: 'claimed'; readonly approval: Approval; readonly at: number }
  | {
      readonly kind: 'sent'
      readonly approval: Approval
      readonly at: number
      /** The provider's own names, where it has any. */
      readonly providerId?: string
      readonly providerThread?: string
      /** Those that the server would not take, where it took others. */
      readonly refused: readonly string[]
      /** Whether a copy lies among what was sent. */
      readonly filed: boolean
      /** Whether its caller was answered that it was sent. */
      readonly told?: boolean
    }
  /** It was certainly not sent, and never will be. */
  | { readonly kind: 'failed'; readonly at: number; readonly reason: string }
  /** Nobody knows whether it was sent: only a person may say. */
  | { readonly kind: 'needs_operator'; readonly approval: Approval; readonly at: number }
  | { readonly kind: 'rejected'; readonly by: string; readonly at: number; readonly reason: string | undefined }
  | { readonly kind: 'expired'; readonly at: number }

export type EntryKind = EntryState['kind']

export interface Approval {
  readonly via: 'file' | 'command' | 'console' | 'elicitation' | 'flow' | 'policy'
  /** Who, as far as that is known: a user name, a policy. */
  readonly by: string
  readonly at: number
  /** The file that says so, by its name in the vault. */
  readonly file?: string
}

/** The file that is used up with its approval. */
export function approvalFile({ state }: Pick<OutboxEntry, 'state'>): string | undefined {
  return 'approval' in state ? state.approval.file : undefined
}

/** An approval is good for so long. */
export const APPROVAL_MS = 24 * 60 * 60 * 1000
/** So long a letter waits for one. */
export const WAITING_MS = 24 * 60 * 60 * 1000
/** The same content, asked for again so soon after it was sent, is the message that was sent. */
export const REPEATED_MS = 24 * 60 * 60 * 1000
