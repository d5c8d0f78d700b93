/** What actions on several messages of one folder have in common. */
import { Failure } from '../../core/failure.ts'
import type { Workshop } from './workshop.ts'

/** Calls to one server at once. */
const AT_ONCE = 3

/** One after the other, a few at once, in the order given. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    done.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
  return done
}

/** The folder's uidvalidity now. Throws where the caller saw another one. */
export async function pinnedValidity(
  from: { readonly account: string; readonly mailbox: string; readonly uidvalidity: number },
  { accounts, signal }: Workshop,
): Promise<number> {
  const { uidvalidity } = await accounts.get(from.account).source.fence(from.mailbox, signal)
  if (from.uidvalidity === 0 || from.uidvalidity === uidvalidity) return uidvalidity
  throw new Failure('conflict', 'the mailbox was rebuilt on the server (its uidvalidity changed); search again', {
    stage: 'select',
  })
}
