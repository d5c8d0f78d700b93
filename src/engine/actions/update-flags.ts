/** Changes the flags of one message: remove, then add, then read back what they are now. */
import type { FlagChange } from '../../core/decision/flags.ts'
import type { MessageRef } from '../../core/message-id.ts'
import type { FlagsChange } from '../../core/results.ts'
import { Steps } from './steps.ts'
import type { Perform, Workshop } from './workshop.ts'

export const updateFlags: Perform<'update_flags'> = async ({ message, add, remove }, workshop) => {
  // Proves that the message is there before anything changes: a missing one is not a failed step.
  await workshop.accounts.get(message.account).source.flags(message, message.uid, workshop.signal)
  return changeFlags(message, { add, remove }, workshop)
}

export async function changeFlags(
  message: MessageRef,
  { add, remove }: FlagChange,
  { accounts, signal }: Workshop,
): Promise<FlagsChange> {
  const { source } = accounts.get(message.account)
  const steps = new Steps()
  const change = async (kind: 'add' | 'remove', flags: readonly string[]): Promise<boolean> =>
    (await steps.run(`${kind}_flags`, () => source.changeFlags(message, message.uid, kind, flags, signal))).ok
  const removed = remove.length > 0 && (await change('remove', remove))
  const added = add.length > 0 && (removed || remove.length === 0) && (await change('add', add))
  const now = await steps.run('read_flags', () => source.flags(message, message.uid, signal))
  return { flags: now.ok ? now.value : undefined, added, removed, issues: steps.issues }
}
