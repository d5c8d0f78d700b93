/** Flags one message `\Deleted` and expunges that uid; without UIDPLUS it stays, flagged, and the caller is told. */
import { Failure } from '../../core/failure.ts'
import type { MessageRef } from '../../core/message-id.ts'
import type { MailSource } from '../../ports/mail-source.ts'
import type { Steps } from './steps.ts'

export async function remove(
  source: MailSource,
  message: MessageRef,
  steps: Steps,
  signal: AbortSignal,
): Promise<void> {
  const { expungeByUid } = await source.abilities(signal)
  const flagged = await steps.change('flag_deleted', () =>
    source.changeFlags(message, message.uid, 'add', ['\\Deleted'], signal),
  )
  if (!flagged.ok) return
  await steps.change('expunge', async () => {
    if (expungeByUid) return source.expunge(message, message.uid, signal)
    throw new Failure(
      'unsupported',
      'the server cannot expunge a single message (no UIDPLUS): it stays in the mailbox, flagged \\Deleted',
    )
  })
}
