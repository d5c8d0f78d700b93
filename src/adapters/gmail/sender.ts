/**
 * Hands finished messages to Gmail.
 *
 * INVARIANT: Gmail delivers to whomever the header names. So what leaves is the message as it was given, with a Bcc field of our own
 * in front of it for those that are named nowhere else, and it is read once more: From, To, Cc and Bcc are the envelope, or nothing
 * leaves. It is sent once; what Gmail itself answered with an error was not sent.
 */
import { addressField } from '../../core/compose/header-lines.ts'
import { Failure } from '../../core/failure.ts'
import { checkWire, unnamedIn } from '../../core/outbox/wire-check.ts'
import type { Delivered, MailSender, OutgoingMail } from '../../ports/mail-sender.ts'
import type { GmailClient } from './client/client.ts'
import { clientClosed, Refusal, refusalFailure } from './failures.ts'

const STAGE = 'send'
/** As Gmail's reference has it. */
const MOST_BYTES = 36_700_160

export interface GmailSenderOptions {
  readonly client: Pick<GmailClient, 'write'>
}

/** The client is not the sender's own: closing the sender leaves it to whoever made it. */
export function createGmailSender({ client }: GmailSenderOptions): MailSender {
  let isClosed = false
  return {
    async send(mail, signal) {
      if (isClosed) throw clientClosed()
      const bytes = onTheWire(mail)
      const body = mail.thread === undefined ? {} : { threadId: mail.thread }
      const call = {
        method: 'POST',
        path: 'messages/send',
        body,
        mime: { bytes, in: 'message' },
        stage: STAGE,
      } as const
      try {
        return deliveredAs(await client.write(call, signal))
      } catch (error) {
        throw settled(error)
      }
    },
    close: async () => {
      isClosed = true
    },
  }
}

function onTheWire({ from, recipients, bytes }: OutgoingMail): Uint8Array {
  checkWire(bytes, { from, recipients })
  const hidden = unnamedIn(bytes, recipients)
  const wire = hidden.length === 0 ? bytes : withBcc(hidden, bytes)
  checkWire(wire, { from, recipients, bcc: hidden })
  if (wire.length > MOST_BYTES) throw tooLarge(wire.length)
  return wire
}

/** The field is printable ASCII, so one byte a character. */
function withBcc(hidden: readonly string[], bytes: Uint8Array): Uint8Array {
  const line = addressField(
    'Bcc',
    hidden.map((address) => ({ name: '', address })),
  )
  return Buffer.concat([Buffer.from(`${line}\r\n`, 'latin1'), bytes])
}

function deliveredAs(answer: unknown): Delivered {
  const { id, threadId } = typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {}
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof threadId === 'string' && { thread: threadId }),
    refused: [],
  }
}

/** To the client every fault of the server leaves open what was done. A send that Gmail answered with one was not done. */
function settled(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'outcome_unknown') return error
  const { cause } = error
  if (cause instanceof Refusal && !isFromBetween(cause)) return refusalFailure(cause, STAGE)
  const message =
    'the message was handed to Gmail but no answer came back; look among the sent mail before sending it again'
  return new Failure('outcome_unknown', message, { cause, stage: STAGE })
}

/** What stands between us and Gmail says only that it heard nothing; Gmail itself gives a reason. */
function isFromBetween({ status, reason }: Refusal): boolean {
  return (status === 502 || status === 504) && reason === ''
}

function tooLarge(size: number): Failure {
  const message = 'the message is larger than Gmail takes; attach less, or send the files in several messages'
  return new Failure('too_large', message, { stage: STAGE, details: { size, most: MOST_BYTES } })
}
