/** Why an account cannot be entered, in words that say what to do. */
import { Failure } from '../../core/failure.ts'

export type WhyAnew = 'not_granted' | 'scope_changed' | 'invalid_grant' | 'refused_by_server' | 'note_damaged'

const WHY: Readonly<Record<WhyAnew, string>> = {
  not_granted: 'nobody has granted access to it yet',
  scope_changed: 'its oauth_scope is not the one that access was granted for',
  invalid_grant: 'the access that was granted has ended or was withdrawn',
  refused_by_server: 'the mail server refuses the access that was granted',
  note_damaged: 'the note of its access in the data directory is damaged',
}

/** `writable` is false where the command would have nowhere to put what it gets. */
export function needsRebootstrap(account: string, why: WhyAnew, writable: boolean): Failure {
  const cure = writable
    ? `run "postern oauth --account ${account}"`
    : `put a new refresh token into the secret store, or change to a store that can be written and run "postern oauth --account ${account}"`
  const message = `account ${account} cannot be entered: ${WHY[why]}; ${cure}`
  return new Failure('auth_failed', message, { stage: 'credentials', details: { reason: 'needs_rebootstrap' } })
}

export function notKept(account: string, cause: unknown): Failure {
  const message = `the new refresh token of account ${account} cannot be stored, so it is not used yet; mend the secret store`
  return new Failure('unavailable', message, { cause, stage: 'credentials' })
}

export function givenUp(signal: AbortSignal): Failure {
  const { reason } = signal
  if (reason instanceof Failure) return reason
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError'
  return new Failure(timedOut ? 'timeout' : 'cancelled', 'logging in was given up', { stage: 'credentials' })
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Failure && error.code === 'not_found'
}
