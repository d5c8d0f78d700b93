/** Changes the flags of one message: remove, then add, then read back what they are now. */
import { Steps } from './steps.ts'
import type { Perform } from './workshop.ts'

export const updateFlags: Perform<'update_flags'> = async ({ message, add, remove }, { accounts, signal }) => {
  const { source } = accounts.get(message.account)
  // Proves that the message is there before anything changes: a missing one is not a failed step.
  await source.flags(message, message.uid, signal)
  const steps = new Steps()
  const change = async (kind: 'add' | 'remove', flags: readonly string[]): Promise<boolean> =>
    (await steps.run(`${kind}_flags`, () => source.changeFlags(message, message.uid, kind, flags, signal))).ok
  const removed = remove.length > 0 && (await change('remove', remove))
  const added = add.length > 0 && (removed || remove.length === 0) && (await change('add', add))
  const now = await steps.run('read_flags', () => source.flags(message, message.uid, signal))
  return { flags: now.ok ? now.value : undefined, added, removed, issues: steps.issues }
}
