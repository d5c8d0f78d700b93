/**
 * Moves one message: inside its account in one step where the server can, else copy first, remove after; to another
 * account by a transfer.
 *
 * INVARIANT: nothing is removed before the server has confirmed the copy, and only this one uid ever is.
 */
import { Failure } from '../../core/failure.ts'
import { carryAcross, judgedAlone } from './carry-across.ts'
import { remove } from './remove.ts'
import { Steps } from './steps.ts'
import type { Perform, Workshop } from './workshop.ts'

export const moveMessage: Perform<'move_message'> = async (action, workshop, level) => {
  const { message, to, starred } = action
  const { accounts, signal } = workshop
  accounts.get(to.account)
  const isInside = to.account === message.account
  if (isInside && isSame(to.mailbox, message.mailbox)) {
    throw new Failure('invalid_input', 'the destination is the mailbox that the message is in already', {
      stage: 'same_place',
    })
  }
  // A missing source is the caller's mistake and stops here; what the destination says is a step that failed.
  await accounts.get(message.account).source.flags(message, message.uid, signal)
  if (isInside) return moveInside(action, workshop)
  const judged = judgedAlone(message.uid, level, starred)
  const [carried] = await carryAcross('move', message, [message.uid], to, judged, workshop)
  if (carried === undefined) throw new Error('a transfer was lost')
  return carried
}

async function moveInside(
  { message, to }: Parameters<typeof moveMessage>[0],
  { accounts, signal }: Workshop,
): ReturnType<typeof moveMessage> {
  const { source, google } = accounts.get(message.account)
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
