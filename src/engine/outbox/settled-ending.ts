/**
 * What a caller hears that asks for a message about which nobody need be asked any more.
 *
 * INVARIANT: of the calls that hear that a message was sent, one is told so as the first, in whatever process.
 */
import { Failure } from '../../core/failure.ts'
import { threadIdOf } from '../../core/mirror/thread.ts'
import type { EntryState, OutboxEntry } from '../../core/outbox/entry.ts'
import type { SendEnding } from '../../core/send-ending.ts'
import type { Account } from '../accounts/accounts.ts'
import type { OutboxParts } from './parts.ts'

type Parts = Pick<OutboxParts, 'store'>

/** Undefined where it is not settled. */
export async function settledEnding(
  entry: OutboxEntry,
  account: Account,
  parts: Parts,
): Promise<SendEnding | undefined> {
  const { id, messageId, state } = entry
  switch (state.kind) {
    case 'claimed':
      return { kind: 'under_way', id }
    case 'needs_operator':
      return { kind: 'needs_operator', id }
    case 'rejected':
      return { kind: 'rejected', id, reason: state.reason }
    case 'sent': {
      const threadId = state.providerThread ?? threadOf(entry, account)
      const names = { messageId: state.providerId ?? messageId, threadId }
      if (!(await isFirstToHear(id, state, parts))) return { kind: 'already_sent', id, at: state.at, ...names }
      return { kind: 'sent', ...names, refused: state.refused, issues: [], sentBefore: true }
    }
    default:
      return undefined
  }
}

type SentState = Extract<EntryState, { kind: 'sent' }>

async function isFirstToHear(id: string, { told }: SentState, { store }: Parts): Promise<boolean> {
  if (told === true) return false
  try {
    await store.record(id, { kind: 'tell' })
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'conflict') return false
    throw error
  }
}

/** Where a provider has names of its own, only it can name a thread that this message began. */
function threadOf({ sending, messageId }: OutboxEntry, { native }: Account): string | undefined {
  if (sending.thread !== undefined || native !== undefined) return sending.thread?.id
  return threadIdOf([{ name: 'Message-ID', value: messageId }])
}
