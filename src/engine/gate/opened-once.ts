/** Opens each message once in a call: what it was judged by is what is shown of it. */
import type { Opened } from '../../core/message.ts'
import type { MessageRef } from '../../core/message-id.ts'
import type { AccountBook } from '../accounts/accounts.ts'

export function openedOnce(book: AccountBook, signal: AbortSignal): (message: MessageRef) => Promise<Opened> {
  const opened = new Map<string, Promise<Opened>>()
  return (message) => {
    const { account, mailbox, uid } = message
    const key = JSON.stringify([account, mailbox, uid])
    const known = opened.get(key) ?? book.get(account).source.open(message, uid, signal)
    opened.set(key, known)
    return known
  }
}
