/**
 * Copies one message, inside its account or into another.
 *
 * INVARIANT: the source is only read. A copy to another account carries the original's bytes, flags and INTERNALDATE.
 */
import { Failure } from '../../core/failure.ts'
import type { MessageRef } from '../../core/message-id.ts'
import type { MailSource, NewMessage } from '../../ports/mail-source.ts'
import { Steps } from './steps.ts'
import type { Perform } from './workshop.ts'

/** A message larger than this is not carried through our memory from one account to another. */
const LARGEST_CARRIED = 64 * 1024 * 1024

/** Other flags with a backslash, `\Recent` among them, are a server's own. */
const STORABLE = new Set(['\\seen', '\\answered', '\\flagged', '\\draft', '\\deleted'])

export const copyMessage: Perform<'copy_message'> = async ({ message, to }, { accounts, signal }) => {
  const { source } = accounts.get(message.account)
  const destination = accounts.get(to.account).source
  // A missing source is the caller's mistake and stops here; what the destination says is a step that failed.
  await source.flags(message, message.uid, signal)
  const steps = new Steps()
  if (source === destination) {
    const copied = await steps.change('copy', () => source.copy(message, message.uid, to.mailbox, signal))
    return steps.report('native_copy', copied.ok && copied.value ? { ...to, ...copied.value } : undefined)
  }
  const fetched = await steps.run('fetch', () => carry(source, message, signal))
  if (!fetched.ok) return steps.report()
  const appended = await steps.change('append', () => destination.append(to.mailbox, fetched.value, signal))
  return steps.report(undefined, appended.ok && appended.value ? { ...to, ...appended.value } : undefined)
}

async function carry(source: MailSource, message: MessageRef, signal: AbortSignal): Promise<NewMessage> {
  const [summary] = await source.summaries(message, [message.uid], 0, signal)
  if (summary === undefined) throw new Failure('not_found', 'the message is no longer in its mailbox')
  if (summary.size > LARGEST_CARRIED) {
    throw new Failure('too_large', `messages over ${LARGEST_CARRIED} bytes cannot be copied to another account`)
  }
  const { bytes, size } = await source.raw(message, message.uid, LARGEST_CARRIED, signal)
  if (bytes.length !== size) throw new Failure('unavailable', 'the message did not arrive whole; nothing was copied')
  const flags = summary.flags.filter((flag) => !flag.startsWith('\\') || STORABLE.has(flag.toLowerCase()))
  return { bytes, flags, received: summary.received }
}
