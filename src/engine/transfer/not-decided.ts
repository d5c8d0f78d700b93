/** Why an operator cannot have a transfer tried again or given up. */
import { Failure } from '../../core/failure.ts'
import { isFinal } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'

export function absent(): Failure {
  return new Failure('not_found', 'there is no such transfer; "postern transfers list --all" shows which there are')
}

export function notStuck(transfer: Transfer): Failure {
  const { status } = transfer
  const words = isFinal(transfer)
    ? `this transfer is over (${status}): there is nothing left to decide`
    : `this transfer is still being tried (${status}): wait until it has ended or needs an operator`
  return new Failure('conflict', words)
}

export function takenElsewhere(): Failure {
  return new Failure('unavailable', 'another process is working on this transfer; try again')
}

/** Somebody else was quicker. */
export function unlessDecided(error: unknown): readonly never[] {
  if (error instanceof Failure && (error.code === 'conflict' || error.code === 'unavailable')) return []
  throw error
}
