/**
 * Moves one message inside its account: in one step where the server can, else copy first, remove after.
 *
 * INVARIANT: nothing is removed before the server has confirmed the copy, and only this one uid ever is.
 */
import { Failure } from '../../core/failure.ts'
import { remove } from './remove.ts'
import { Steps } from './steps.ts'
import type { Perform } from './workshop.ts'

export const moveMessage: Perform<'move_message'> = async ({ message, to }, { accounts, signal }) => {
  if (isSame(to.mailbox, message.mailbox)) {
    throw new Failure('invalid_input', 'destination_mailbox is the mailbox that the message is in already')
  }
  const { source } = accounts.get(message.account)
  // A missing source is the caller's mistake and stops here; what the destination says is a step that failed.
  await source.flags(message, message.uid, signal)
  const { move } = await source.abilities(signal)
  const steps = new Steps()
  const placed = await (move
    ? steps.change('move', () => source.move(message, message.uid, to.mailbox, signal))
    : steps.change('copy', () => source.copy(message, message.uid, to.mailbox, signal)))
  if (!placed.ok) return steps.report()
  if (!move) await remove(source, message, steps, signal)
  return steps.report(placed.value && { ...to, ...placed.value })
}

/** INBOX alone is the same in any letter case. */
function isSame(one: string, other: string): boolean {
  return one === other || (/^inbox$/i.test(one) && /^inbox$/i.test(other))
}
