/** Where messages are: a mailbox, and the uidvalidity under which their uids were seen. */
import { ANY_UIDVALIDITY } from '../../core/message-id.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import { staleUidvalidity } from './failures.ts'
import { JUST_OPENED_MS, NOW, type Selected } from './line/session.ts'

/** With the name that the server knows. */
export interface RawMailboxAt extends MailboxAt {
  readonly rawName: string
  /** When messages were last looked for in it, on the clock of `performance.now`; undefined where they never were. */
  readonly lookedAt?: number | undefined
}

/** Whoever reads may not care which uidvalidity the mailbox has; whoever writes checks it for himself. */
export function mustBeAt({ uidvalidity }: RawMailboxAt, selected: Selected): void {
  if (uidvalidity === ANY_UIDVALIDITY || uidvalidity === selected.uidvalidity) return
  throw staleUidvalidity(uidvalidity, selected.uidvalidity)
}

/** Where any uidvalidity will do, the one of this moment is meant: not that of a mailbox opened long ago. */
export function freshEnough({ uidvalidity }: RawMailboxAt, notBefore: number): number {
  return uidvalidity === ANY_UIDVALIDITY ? Math.max(notBefore, justNow()) : notBefore
}

/**
 * Since when a mailbox must be open that tells what follows a search: another connection may have it open since before that.
 * What was found elsewhere is looked for in one that is opened anew.
 */
export function justFound({ kept, lookedAt }: RawMailboxAt): number {
  if (kept === true || lookedAt === undefined) return NOW
  return Math.max(lookedAt, justNow())
}

function justNow(): number {
  return performance.now() - JUST_OPENED_MS
}
