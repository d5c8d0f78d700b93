/** How the letters of an account leave over SMTP. Nothing is loaded before the first one does. */
import type { SecretiveLog } from '../adapters/log/log.ts'
import type { Tls } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import type { Account } from '../engine/accounts/accounts.ts'
import type { Access } from '../ports/access.ts'
import type { MailSender } from '../ports/mail-sender.ts'
import { lazily } from './lazily.ts'

export interface SmtpServer {
  readonly host: string
  readonly port: number
  readonly tls: Tls
  readonly user: string
}

export function smtpSender(
  account: string,
  { host, port, tls, user }: SmtpServer,
  access: Access,
  { ca, log }: { readonly ca: string | undefined; readonly log: SecretiveLog },
): Required<Pick<Account, 'sender' | 'sendingProblem'>> {
  const sender: MailSender = lazily(async () => {
    const { createSmtpSender } = await import('../adapters/smtp/sender.ts')
    const trust = ca === undefined ? {} : { ca }
    return createSmtpSender({ account, host, port, tls, user, access, ...trust }, log)
  })
  let problem: string | undefined
  const send: MailSender['send'] = async (mail, signal) => {
    try {
      const delivered = await sender.send(mail, signal)
      problem = undefined
      return delivered
    } catch (error) {
      if (error instanceof Failure && LASTING.has(error.code)) problem = error.message
      throw error
    }
  }
  return { sender: { send, close: () => sender.close() }, sendingProblem: () => problem }
}

/** What the next message would meet as well. */
const LASTING: ReadonlySet<Failure['code']> = new Set(['auth_failed', 'tls_failed'])
