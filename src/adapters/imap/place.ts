/** Where messages are: a mailbox, and the uidvalidity under which their uids were seen. */
import { ANY_UIDVALIDITY } from '../../core/message-id.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import { staleUidvalidity } from './failures.ts'
import { JUST_OPENED_MS, type Selected } from './line/session.ts'

/** With the name that the server knows. */
export interface RawMailboxAt extends MailboxAt {
  readonly rawName: string
}

/** Whoever reads may not care which uidvalidity the mailbox has; whoever writes checks it for himself. */
export function mustBeAt({ uidvalidity }: RawMailboxAt, selected: Selected): void {
  if (uidvalidity === ANY_UIDVALIDITY || uidvalidity === selected.uidvalidity) return
  throw staleUidvalidity(uidvalidity, selected.uidvalidity)
}

/** Where any uidvalidity will do, the one of this moment is meant: not that of a mailbox opened long ago. */
export function freshEnough({ uidvalidity }: RawMailboxAt, maxAgeMs: number): number {
  return uidvalidity === ANY_UIDVALIDITY ? Math.min(maxAgeMs, JUST_OPENED_MS) : maxAgeMs
}
