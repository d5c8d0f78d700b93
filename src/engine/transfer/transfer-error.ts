/**
 * What a failure means for a transfer: try again, give up with nothing changed, or have a person look.
 *
 * INVARIANT: a failure after which the message may be at its destination is never one to give up on.
 */
import type { Failure } from '../../core/failure.ts'
import type { Step, TransferEvent, Trouble } from '../../core/transfer/machine.ts'

/** What the world has said for good, as long as nothing else changes. */
const FINAL = new Set(['not_found', 'conflict', 'rejected', 'too_large', 'unsupported', 'invalid_input', 'unreadable'])

export function transferError(step: Step, failure: Failure): TransferEvent {
  const final = FINAL.has(failure.code)
  switch (step) {
    case 'fetch':
      return { kind: final ? 'refused' : 'failed', ...trouble(sourceError(failure), failure) }
    case 'fence':
      return targetRefusal(failure)
    case 'send':
      // It may have been sent before, or just now.
      return { kind: 'failed', ...targetTrouble(failure) }
    default:
      // The copy is there: only the original is left, and it must not be forgotten.
      return final && failure.code === 'conflict'
        ? { kind: 'escalated', ...trouble('source_delete_failed', failure) }
        : { kind: 'failed', ...trouble('source_delete_failed', failure) }
  }
}

/** Where it is certain that the message is not at its destination. */
export function targetRefusal(failure: Failure): TransferEvent {
  return { kind: FINAL.has(failure.code) ? 'refused' : 'failed', ...targetTrouble(failure) }
}

export function targetTrouble(failure: Failure): Trouble {
  return trouble(targetError(failure), failure)
}

function trouble(error: string, { responseCode }: Failure): Trouble {
  return { error, ...(responseCode !== undefined && { responseCode }) }
}

function sourceError({ code, stage }: Failure): string {
  switch (code) {
    case 'not_found':
      return stage === 'fetch' ? 'uid_not_found' : 'folder_not_found'
    case 'conflict':
      return 'uid_stale'
    case 'auth_failed':
    case 'tls_failed':
      return 'auth_failed'
    case 'timeout':
      return 'timeout'
    default:
      return 'fetch_failed'
  }
}

export function targetError({ code, stage }: Failure): string {
  switch (code) {
    case 'not_found':
      return 'target_folder_missing'
    case 'auth_failed':
    case 'tls_failed':
      return 'auth_failed'
    case 'timeout':
    case 'outcome_unknown':
      return 'target_append_timeout'
    case 'unavailable':
    case 'cancelled':
      // At this stage it was the server that said so: NO [UNAVAILABLE], NO [SERVERBUG].
      return stage === 'append' ? 'target_append_failed' : 'target_unreachable'
    default:
      return 'target_append_failed'
  }
}
