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
  if (to.account === message.account && isSame(to.mailbox, message.mailbox)) {
    throw new Failure('invalid_input', 'the destination is the mailbox that the message is in already', {
      stage: 'same_place',
    })
  }
  if (to.account !== message.account) {
    throw new Failure('unsupported', 'mail cannot be moved to another account; copy it there and move the original')
  }
  const { source, google } = accounts.get(message.account)
  // A missing source is the caller's mistake and stops here; what the destination says is a step that failed.
  await source.flags(message, message.uid, signal)
  const steps = new Steps()
  if (google !== undefined) {
    const swapped = await steps.change('move', () => google.swapLabel(message, message.uid, to.mailbox, signal))
    return steps.report('gmail_label_swap', swapped.ok && swapped.value ? { ...to, ...swapped.value } : undefined)
  }
  const { move } = await source.abilities(signal)
  const mechanism = move ? 'native_move' : 'copy_store_expunge'
  const placed = await (move
    ? steps.change('move', () => source.move(message, message.uid, to.mailbox, signal))
    : steps.change('copy', () => source.copy(message, message.uid, to.mailbox, signal)))
  if (!placed.ok) return steps.report(mechanism)
  if (!move) await remove(source, message, steps, signal)
  return steps.report(mechanism, placed.value && { ...to, ...placed.value })
}

/** INBOX alone is the same in any letter case. */
function isSame(one: string, other: string): boolean {
  return one === other || (/^inbox$/i.test(one) && /^inbox$/i.test(other))
}
