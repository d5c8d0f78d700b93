/**
 * Sends over SMTP.
 *
 * INVARIANT: before anything leaves, the message itself has been read again and found to go to its recipients and nobody else. A
 * message whose end may have left is accepted or refused by a whole answer of the server, or its outcome is unknown. Nothing is sent
 * a second time: a session that has died unused is replaced, before it was asked for the message.
 */
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection'
import type { Failure } from '../../core/failure.ts'
import { checkWire } from '../../core/outbox/wire-check.ts'
import type { Log } from '../../ports/log.ts'
import type { Delivered, MailSender, OutgoingMail } from '../../ports/mail-sender.ts'
import { answerCode } from './answer.ts'
import { connect } from './connect.ts'
import { isLoss, isRefusal, notSent, outcomeUnknown } from './failures.ts'
import { MessageStream } from './message-stream.ts'
import { DEFAULTS, type SmtpOptions } from './options.ts'
import type { Session } from './session.ts'
import { Sessions } from './sessions.ts'

export function createSmtpSender(options: SmtpOptions, log: Log): MailSender {
  const sessions = new Sessions({
    max: options.maxConnections ?? DEFAULTS.maxConnections,
    idleCloseMs: options.idleCloseMs ?? DEFAULTS.idleCloseMs,
    open: (signal) => connect(options, signal),
  })
  return {
    send: async (mail, signal) => {
      checkWire(mail.bytes, { from: mail.from, recipients: mail.recipients })
      const lent = await sessions.lend(signal)
      try {
        const first = await deliver(lent.session, mail, signal)
        if (first.kind === 'delivered') return first.delivered
        if (!lent.reused || !first.untouched) throw first.failure
        log.debug({ account: options.account }, 'a kept smtp connection was gone; another is opened')
        await sessions.renew(lent, signal)
        const second = await deliver(lent.session, mail, signal)
        if (second.kind === 'delivered') return second.delivered
        throw second.failure
      } finally {
        sessions.release(lent)
      }
    },
    close: async () => sessions.close(),
  }
}

type Ending =
  | { readonly kind: 'delivered'; readonly delivered: Delivered }
  /** `untouched` where the connection was gone before the server had asked for the message. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly untouched: boolean }

async function deliver(session: Session, mail: OutgoingMail, signal: AbortSignal): Promise<Ending> {
  const { connection, hide } = session
  const stream = new MessageStream(mail.bytes, () => answerCode(connection.lastServerResponse || undefined) === 354)
  const envelope = { from: mail.from, to: [...mail.recipients], size: mail.bytes.length }
  let info: SMTPConnectionSendInfo | undefined
  try {
    info = await session.run<SMTPConnectionSendInfo>(signal, (done) => connection.send(envelope, stream, done))
  } catch (error) {
    stream.destroy()
    if (stream.ending && !isRefusal(error)) return failed(outcomeUnknown(error, hide))
    return failed(notSent(error, hide), !stream.begun && isLoss(error))
  }
  const code = answerCode(info?.response) ?? 0
  // A yes before the end was sent is no yes to this message.
  if (stream.ending && code >= 200 && code < 300)
    return { kind: 'delivered', delivered: { refused: info?.rejected ?? [] } }
  const unclear = new Error('an answer that is none')
  session.destroy(unclear)
  return failed(outcomeUnknown(unclear, hide))
}

function failed(failure: Failure, untouched = false): Ending {
  return { kind: 'failed', failure, untouched }
}
