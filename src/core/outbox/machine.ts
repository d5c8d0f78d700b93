/**
 * What may happen to a letter in the outbox.
 *
 * INVARIANT: nothing is claimed that was not approved, nothing sent that was not claimed. One that may have been sent never
 * becomes approved again but by a person who says that it was not.
 */
import { Failure } from '../failure.ts'
import { APPROVAL_MS, type Approval, type EntryKind, type EntryState, REPEATED_MS } from './entry.ts'

export type EntryEvent =
  | { readonly kind: 'approve'; readonly approval: Approval }
  | { readonly kind: 'reject'; readonly by: string; readonly at: number; readonly reason: string | undefined }
  /** The person who rejected a version of their own asks for it again. */
  | { readonly kind: 'reopen' }
  | { readonly kind: 'claim'; readonly at: number }
  /** The approval is there no more: it waits again. */
  | { readonly kind: 'withdraw' }
  /** Another letter has used up its approval before its first byte left: it waits again. */
  | { readonly kind: 'step_back' }
  /** It certainly did not go out: the approval still holds. */
  | { readonly kind: 'give_back'; readonly reason: string }
  /** It certainly did not go out, and asking again would not help. */
  | { readonly kind: 'fail'; readonly at: number; readonly reason: string }
  | {
      readonly kind: 'deliver'
      readonly at: number
      readonly providerId?: string
      readonly providerThread?: string
      readonly refused: readonly string[]
      readonly filed: boolean
      readonly told?: boolean
    }
  /** Nobody knows whether it went out. */
  | { readonly kind: 'lose'; readonly at: number }
  /** A copy lies among what was sent. */
  | { readonly kind: 'file' }
  /** A person has looked. */
  | {
      readonly kind: 'settle'
      readonly at: number
      readonly wasSent: boolean
      readonly told?: boolean
      readonly providerId?: string
      readonly providerThread?: string
    }
  /** Its caller is answered that it was sent: once. */
  | { readonly kind: 'tell' }
  | { readonly kind: 'expire'; readonly at: number }

export type EntryEventKind = EntryEvent['kind']

const ALLOWED: { readonly [K in EntryEventKind]: readonly EntryKind[] } = {
  approve: ['waiting'],
  reject: ['waiting', 'approved'],
  reopen: ['rejected'],
  claim: ['approved'],
  withdraw: ['approved'],
  step_back: ['claimed'],
  give_back: ['claimed'],
  fail: ['claimed'],
  deliver: ['claimed'],
  lose: ['claimed'],
  file: ['sent'],
  settle: ['needs_operator'],
  tell: ['sent'],
  expire: ['waiting', 'approved', 'rejected'],
}

/** Throws `Failure('conflict')` where that cannot happen to it any more. */
export function after(state: EntryState, event: EntryEvent): EntryState {
  const wasTold = event.kind === 'tell' && state.kind === 'sent' && state.told === true
  if (wasTold || !ALLOWED[event.kind].includes(state.kind)) throw tooLate(state.kind)
  switch (event.kind) {
    case 'approve':
      return { kind: 'approved', approval: event.approval }
    case 'reject':
      return { kind: 'rejected', by: event.by, at: event.at, reason: event.reason }
    case 'claim':
      return { kind: 'claimed', approval: approvalOf(state), at: event.at }
    case 'reopen':
    case 'withdraw':
    case 'step_back':
      return { kind: 'waiting' }
    case 'give_back':
      return { kind: 'approved', approval: approvalOf(state), lastFailure: event.reason }
    case 'fail':
      return { kind: 'failed', at: event.at, reason: event.reason }
    case 'deliver': {
      const { kind: _, ...delivered } = event
      return { kind: 'sent', approval: approvalOf(state), ...delivered }
    }
    case 'lose':
      return { kind: 'needs_operator', approval: approvalOf(state), at: event.at }
    case 'file':
      return state.kind === 'sent' ? { ...state, filed: true } : state
    case 'settle': {
      const { kind: _, wasSent, ...settled } = event
      return wasSent
        ? { kind: 'sent', approval: approvalOf(state), ...settled, refused: [], filed: true }
        : { kind: 'failed', at: event.at, reason: 'a person has seen that it was not sent' }
    }
    case 'tell':
      return state.kind === 'sent' ? { ...state, told: true } : state
    case 'expire':
      return { kind: 'expired', at: event.at }
  }
}

/** Whether the same content, asked for again at that time, means this message; else it is a new request. */
export function isMeantBy(state: EntryState, expires: number, now: number): boolean {
  if (state.kind === 'sent') return now < state.at + REPEATED_MS
  return isOpen(state) && expiryOf(state, expires, now) === undefined
}

/** Whether it is not over yet. What a person has rejected is not over before its time. */
export function isOpen(state: EntryState): boolean {
  return ['waiting', 'approved', 'claimed', 'needs_operator', 'rejected'].includes(state.kind)
}

/** What its time makes of it, if anything. */
export function expiryOf(state: EntryState, expires: number, now: number): EntryEvent | undefined {
  const isOver =
    ((state.kind === 'waiting' || state.kind === 'rejected') && now >= expires) ||
    (state.kind === 'approved' && now >= state.approval.at + APPROVAL_MS)
  return isOver ? { kind: 'expire', at: now } : undefined
}

function approvalOf(state: EntryState): Approval {
  if ('approval' in state) return state.approval
  throw new Error('a letter without an approval got as far as this')
}

const TOO_LATE: { readonly [K in EntryKind]: string } = {
  waiting: 'it waits for a person',
  approved: 'it has been approved already',
  claimed: 'it is being sent at this moment',
  sent: 'it has been sent already',
  failed: 'it has failed for good',
  needs_operator: 'nobody knows yet whether it was sent; somebody has to look first',
  rejected: 'it has been rejected',
  expired: 'its time is over; it has to be asked for again',
}

function tooLate(kind: EntryKind): Failure {
  return new Failure('conflict', TOO_LATE[kind], { stage: 'outbox' })
}
