/**
 * Copies one message, inside its account or into another.
 *
 * INVARIANT: the source is only read. A copy to another account carries the original's bytes, flags and INTERNALDATE.
 */
import { carryAcross, judgedAlone } from './carry-across.ts'
import { Steps } from './steps.ts'
import type { Perform, Workshop } from './workshop.ts'

export const copyMessage: Perform<'copy_message'> = async ({ message, to, starred }, workshop, level) => {
  const { accounts, signal } = workshop
  const { source } = accounts.get(message.account)
  accounts.get(to.account)
  // A missing source is the caller's mistake and stops here; what the destination says is a step that failed.
  await source.flags(message, message.uid, signal)
  if (to.account === message.account) return copyInside({ message, to }, workshop)
  const judged = judgedAlone(message.uid, level, starred)
  const [carried] = await carryAcross('copy', message, [message.uid], to, judged, workshop)
  if (carried === undefined) throw new Error('a transfer was lost')
  return carried
}

async function copyInside(
  { message, to }: Pick<Parameters<typeof copyMessage>[0], 'message' | 'to'>,
  { accounts, signal }: Workshop,
): ReturnType<typeof copyMessage> {
  const steps = new Steps()
  const { source } = accounts.get(message.account)
  const copied = await steps.change('copy', () => source.copy(message, message.uid, to.mailbox, signal))
  return steps.report('native_copy', copied.ok && copied.value ? { ...to, ...copied.value } : undefined)
}
