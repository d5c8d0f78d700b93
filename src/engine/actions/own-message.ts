/**
 * A message that a letter of the caller's own takes something from: what it answers, or what it attaches a part of.
 *
 * INVARIANT: it is one that the caller may see as much of as is taken; of any other nothing is taken, not even its
 * Message-ID, and one that it may not know of is not there.
 */
import { messageMissing } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'
import type { Opened } from '../../core/message.ts'
import type { MessageRef } from '../../core/message-id.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import { isPattern } from '../../core/policy/policy.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Workshop } from './workshop.ts'

export interface Takeable {
  readonly opened: Opened
  readonly level: Level
}

export async function takeable(
  message: MessageRef,
  account: Account,
  needed: Level,
  workshop: Workshop,
): Promise<Takeable> {
  const { sight, signal } = workshop
  if (message.account !== account.id) throw messageMissing(message.uid)
  const folder = await sight.folder(account, message.mailbox, signal)
  if (!folder.named || !(await isListed(message.mailbox, folder.path, account, workshop))) {
    throw messageMissing(message.uid)
  }
  if (folder.uniform?.level === 'NONE') throw messageMissing(message.uid)
  const opened = await openedOrMissing(message, workshop)
  const { level } = sight.verdict(account, folder, opened)
  if (level === 'NONE') throw messageMissing(message.uid)
  if (!atLeast(level, needed)) {
    const what = `a message that this takes something from may not be read that far (visibility_below_${needed})`
    throw new Failure('invalid_input', what, { stage: 'answered' })
  }
  return { opened, level }
}

/** Whatever of it is not there, or hidden because it is too large to be judged where that is concealed, is the same to hear. */
async function openedOrMissing(message: MessageRef, { opened, sight }: Workshop): Promise<Opened> {
  try {
    return await opened(message)
  } catch (error) {
    const code = error instanceof Failure ? error.code : undefined
    if (code === 'not_found' || (code === 'too_large' && sight.conceals)) throw messageMissing(message.uid)
    throw error
  }
}

/** Some servers open a mailbox under other spellings of its name, which a pattern of the policy may match. */
async function isListed(mailbox: string, pattern: string, { source }: Account, { signal }: Workshop): Promise<boolean> {
  if (!isPattern(pattern)) return true
  return (await source.mailboxes(signal)).some(({ name, selectable }) => selectable && name === mailbox)
}
