/** Senders that are closed when a test file is done, and letters for them to send. */
import type { SmtpOptions } from '../../src/adapters/smtp/options.ts'
import { createSmtpSender } from '../../src/adapters/smtp/sender.ts'
import type { Failure } from '../../src/core/failure.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import type { Delivered, MailSender, OutgoingMail } from '../../src/ports/mail-sender.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { SINK_PASSWORD, SINK_USER } from './sink.ts'

export const FROM = 'ada@example.org'
export const TO = 'bob@example.com'

const senders: MailSender[] = []

/** Over a plain line unless told otherwise. */
export function sender(port: number, options: Partial<SmtpOptions> = {}): MailSender {
  const made = createSmtpSender(
    {
      ...{ account: 'work', host: '127.0.0.1', port, tls: 'none', user: SINK_USER },
      access: fixedPassword(SINK_PASSWORD),
      ...{ connectTimeoutMs: 10_000, greetingTimeoutMs: 10_000, socketTimeoutMs: 10_000 },
      ...options,
    },
    silentLog,
  )
  senders.push(made)
  return made
}

export async function closeSenders(): Promise<void> {
  await Promise.all(senders.splice(0).map((made) => made.close()))
}

/** With `to` in its To field; `recipients` may hold more. */
export function letter(
  more: Partial<OutgoingMail> & { readonly to?: string; readonly body?: string } = {},
): OutgoingMail {
  const { to = TO, body = 'Hello\r\n', recipients = [TO], from = FROM } = more
  const text = `From: ${from}\r\nTo: ${to}\r\nSubject: A letter\r\nMessage-ID: <one@example.org>\r\n\r\n${body}`
  return { from, recipients, bytes: more.bytes ?? new TextEncoder().encode(text) }
}

export async function send(by: MailSender, mail = letter(), signal = new AbortController().signal): Promise<Delivered> {
  return by.send(mail, signal)
}

/** What it failed with; an error where it did not. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  return call.then(
    () => {
      throw new Error('the call should have failed')
    },
    (error: Failure) => error,
  )
}
