/** How work that was told to stop ends. */
import { Failure } from '../../core/failure.ts'

export function stopped({ reason }: AbortSignal): Failure {
  return reason instanceof Failure ? reason : new Failure('cancelled', 'the sync was stopped', { cause: reason })
}
