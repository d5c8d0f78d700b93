/**
 * What an agent is told when something that was allowed could not be done. A closed list.
 */
import type { FailureCode } from '../../../core/failure.ts'

export type ErrorType =
  | 'uid_not_found'
  | 'uid_stale'
  | 'folder_not_found'
  | 'target_folder_missing'
  | 'same_source_and_target'
  | 'attachment_not_found'
  | 'attachment_too_large'
  | 'append_failed'
  | 'fetch_failed'
  | 'target_append_failed'
  | 'target_append_timeout'
  | 'target_unreachable'
  | 'source_delete_failed'
  | 'provider_rejected'
  | 'auth_failed'
  | 'timeout'

/** The stages at which a message is on its way into another folder, and at which the original is removed. */
const INTO = new Set(['copy', 'move', 'append'])
const OUT_OF = new Set(['flag_deleted', 'expunge'])

export function errorType(code: FailureCode | string, stage: string | undefined): ErrorType {
  if (stage === 'connect_target') return 'target_unreachable'
  if (stage === 'same_place') return 'same_source_and_target'
  if (stage !== undefined && OUT_OF.has(stage)) return 'source_delete_failed'
  if (stage === 'attachment') return code === 'too_large' ? 'attachment_too_large' : 'attachment_not_found'
  if (stage !== undefined && INTO.has(stage)) return intoError(code, stage)
  switch (code) {
    case 'not_found':
      return stage === 'fetch' ? 'uid_not_found' : 'folder_not_found'
    case 'conflict':
      return 'uid_stale'
    case 'auth_failed':
    case 'tls_failed':
      return 'auth_failed'
    case 'timeout':
    case 'outcome_unknown':
    case 'cancelled':
      return 'timeout'
    case 'rejected':
    case 'unsupported':
      return 'provider_rejected'
    default:
      return 'fetch_failed'
  }
}

function intoError(code: string, stage: string): ErrorType {
  switch (code) {
    case 'not_found':
      return 'target_folder_missing'
    case 'timeout':
    case 'outcome_unknown':
      return stage === 'append' ? 'target_append_timeout' : 'timeout'
    case 'auth_failed':
    case 'tls_failed':
      return 'auth_failed'
    default:
      // Whoever could not be reached has no say at this stage: the server was asked, and did not do it.
      return stage === 'append' ? 'append_failed' : 'provider_rejected'
  }
}
