/** How a change of flags is reported. */
import type { FlagsChange } from '../../../core/results.ts'
import { failed, orNull } from './answer.ts'

export function changeOf({ flags, issues }: FlagsChange): Record<string, unknown> {
  // Reading the flags back may fail after they were changed: then the change itself is done.
  const failure = issues.find(({ stage }) => stage !== 'read_flags')
  if (failure !== undefined) return failed(failure.code as Parameters<typeof failed>[0], failure.stage, failure.message)
  return { result: 'OK', flags: orNull(flags) }
}
