/** Deletes one message for good: `\Deleted` on it, then an expunge of that uid alone. */
import { remove } from './remove.ts'
import { Steps } from './steps.ts'
import type { Perform } from './workshop.ts'

export const deleteMessage: Perform<'delete_message'> = async ({ message }, { accounts, signal }) => {
  const { source } = accounts.get(message.account)
  await source.flags(message, message.uid, signal)
  const steps = new Steps()
  await remove(source, message, steps, signal)
  return steps.report()
}
