/** What a person approves, made from exactly what was composed. */
import type { Hash } from '../audit/chain.ts'
import type { Composed } from '../compose/compose.ts'
import type { Sending } from './sending.ts'

export interface AskedBy {
  readonly caller: string
  readonly account: string
  /** The thread that it answers, as the caller names it. */
  readonly thread: string | undefined
}

export function sendingOf(composed: Composed, { caller, account, thread }: AskedBy, hash: Hash): Sending {
  const { from, to, cc, bcc, subject, text, html, attachments, inReplyTo, references } = composed
  return {
    kind: thread === undefined ? 'send' : 'reply',
    caller,
    account,
    from,
    to,
    cc,
    bcc,
    subject,
    text,
    html,
    attachments: attachments.map(({ filename, type, bytes }) => ({
      filename,
      type,
      size: bytes.length,
      digest: hash(bytes),
    })),
    thread: thread === undefined ? undefined : { id: thread, inReplyTo, references },
  }
}
