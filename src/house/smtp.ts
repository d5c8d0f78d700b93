/** How the letters of an account leave over SMTP. Nothing is loaded before the first one does. */
import type { SecretiveLog } from '../adapters/log/log.ts'
import type { Tls } from '../config/tree/tree.ts'
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
): MailSender {
  return lazily(async () => {
    const { createSmtpSender } = await import('../adapters/smtp/sender.ts')
    const trust = ca === undefined ? {} : { ca }
    return createSmtpSender({ account, host, port, tls, user, access, ...trust }, log)
  })
}
