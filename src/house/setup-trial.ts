/** Logins that nothing is kept of. */
import { readFile } from 'node:fs/promises'
import type { SecretiveLog } from '../adapters/log/log.ts'
import { Failure } from '../core/failure.ts'
import { fixedPassword } from '../engine/credentials/fixed-password.ts'
import { type Tried, tryAccount } from '../engine/setup/try-account.ts'
import type { Access } from '../ports/access.ts'
import type { MailSource } from '../ports/mail-source.ts'
import type { Trial } from '../surfaces/cli/setup/desk.ts'
import { VERSION } from './postern.ts'
import type { SmtpServer } from './smtp.ts'

/** A person waits, so nobody is waited for long. */
const PATIENCE = { connectTimeoutMs: 15_000, greetingTimeoutMs: 15_000, socketTimeoutMs: 30_000 }

export async function tryLogin(trial: Trial, log: SecretiveLog, signal: AbortSignal): Promise<Tried> {
  const { imap, user, password, smtp } = trial
  for (const secret of [password, smtp?.password]) if (secret !== undefined) log.hide(secret)
  const ca = trial.caFile === undefined ? trial.ca : await authorityIn(trial.caFile)
  const trust = ca === undefined ? {} : { ca }
  const { createImapSource } = await import('../adapters/imap/source.ts')
  const access = fixedPassword(password)
  const source = createImapSource(
    // Nobody has named the account yet, so failures say who logs in.
    { account: user, ...imap, user, access, ...trust, ...PATIENCE, clientVersion: VERSION },
    log,
  )
  return tryWith(
    source,
    smtp && { ...smtp.server, user: smtp.user },
    fixedPassword(smtp?.password ?? ''),
    trust,
    signal,
  )
}

/** The source is closed in the end. */
export async function tryWith(
  source: MailSource,
  smtp: SmtpServer | undefined,
  access: Access,
  trust: { readonly ca?: string },
  signal: AbortSignal,
): Promise<Tried> {
  try {
    const { host, port, tls, user } = smtp ?? { host: '', port: 0, tls: 'none', user: '' }
    const logInToSend = async (until: AbortSignal): Promise<void> => {
      const { connect } = await import('../adapters/smtp/connect.ts')
      const session = await connect({ account: user, host, port, tls, user, access, ...trust, ...PATIENCE }, until)
      session.quit()
    }
    return await tryAccount({ source, ...(smtp !== undefined && { logInToSend }) }, signal)
  } finally {
    await source.close()
  }
}

async function authorityIn(path: string): Promise<string> {
  const details = { option: '--ca-file' }
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Failure('invalid_input', '--ca-file cannot be read', { cause, details })
  })
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new Failure('invalid_input', '--ca-file names a file without a PEM certificate', { details })
}
