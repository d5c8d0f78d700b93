/** Messages under the names that their provider has for them, where it has any. */
import type { FoundMessage } from '../../core/results.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Workshop } from './workshop.ts'

export async function named(
  { native }: Account,
  messages: readonly FoundMessage[],
  { signal }: Workshop,
): Promise<readonly FoundMessage[]> {
  if (native === undefined) return messages
  const byPlace = Map.groupBy(messages, ({ ref }) => JSON.stringify([ref.mailbox, ref.uidvalidity]))
  const ids = await Promise.all(
    [...byPlace.values()].map(async (found) => {
      const [first] = found
      const known =
        first === undefined
          ? []
          : await native.idsOf(
              first.ref,
              found.map(({ uid }) => uid),
              signal,
            )
      return known.map((id) => [`${first?.ref.mailbox} ${id.uid}`, id] as const)
    }),
  )
  const byMessage = new Map(ids.flat())
  return messages.map((message) => {
    const id = byMessage.get(`${message.ref.mailbox} ${message.uid}`)
    return id === undefined ? message : { ...message, nativeId: id.message, threadId: id.thread }
  })
}
