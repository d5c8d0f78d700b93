/**
 * Whether a letter may leave without anybody being asked.
 *
 * INVARIANT: only where each who gets it could read, without us, everything that its caller has read within a day and
 * everything that the letter takes along, or is on the operator's list; and where opening it tells nobody else. What is not
 * known to be so is asked about.
 */
import { textOfPlainHtml } from '../../core/outbox/plain-html.ts'
import { recipientsOf, type Sending } from '../../core/outbox/sending.ts'
import { normalAddress } from '../../core/policy/normal-form.ts'
import type { SendRules } from '../../core/policy/sending.ts'
import type { ReadMail, ReadNotes } from '../../ports/read-notes.ts'

export const FLOW_MS = 24 * 60 * 60 * 1000
/** What was noted is not noted again for so long, so it may count for so much longer. */
export const NOTED_AGAIN_MS = 10 * 60 * 1000

/** Under this name stands what callers have left in an account for each other. No caller's id holds a blank. */
export function whoeverReads(account: string): string {
  return ` ${account}`
}

export async function mayFlow(
  sending: Sending,
  taken: readonly ReadMail[],
  rules: Pick<SendRules, 'trusts'>,
  notes: Pick<ReadNotes, 'since'>,
  now: number,
): Promise<boolean> {
  // A picture in it would tell whoever keeps the picture, once it is opened.
  if (sending.html !== undefined && textOfPlainHtml(sending.html) === undefined) return false
  const others = recipientsOf(sending).filter((address) => !rules.trusts(address))
  if (others.length === 0) return true
  const since = now - FLOW_MS - NOTED_AGAIN_MS
  const own = [...taken, ...(await notes.since(sending.caller, since))]
  const accounts = new Set([sending.account, ...own.map(({ account }) => account)])
  const left = await Promise.all([...accounts].map((account) => notes.since(whoeverReads(account), since)))
  const read = [...own, ...left.flat()]
  return others.every((address) => read.every(({ readers }) => readers.includes(normalAddress(address))))
}
