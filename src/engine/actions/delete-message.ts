/** Deletes one message for good: `\Deleted` on it, then an expunge of that uid alone. Google's go to its Trash. */
import { remove } from './remove.ts'
import { Steps } from './steps.ts'
import type { Perform } from './workshop.ts'

export const deleteMessage: Perform<'delete_message'> = async ({ message }, { accounts, signal }) => {
  const { source, google } = accounts.get(message.account)
  await source.flags(message, message.uid, signal)
  const steps = new Steps()
  const trash = google && (await source.mailboxes(signal)).find(({ role }) => role === 'trash')
  // There, expunging under a label only takes the label away; in Trash it deletes.
  if (google !== undefined && trash !== undefined && trash.name !== message.mailbox) {
    await steps.change('move', () => google.swapLabel(message, message.uid, trash.name, signal))
    return steps.report('gmail_label_swap')
  }
  await remove(source, message, steps, signal)
  return steps.report()
}
