/** A Dovecot with the large mailbox in it, that has answered once already, so that nobody pays for what it then keeps. */
import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { USUAL_HEADER } from '../src/adapters/imap/feed/row-reader.ts'
import { MIRRORED_FIELDS } from '../src/core/mirror/state.ts'
import { type Dovecot, startDovecot } from '../test/dovecot/dovecot.ts'
import { mirrorMail } from './mirror-mail.ts'
import { RawImap } from './raw-imap.ts'
import type { Login } from './servers.ts'

const USER = 'mirrored'
const PASSWORD = 'bench'

/** All that a mirror first asks of every message. */
const ROWS =
  `UID FETCH 1:* (UID FLAGS INTERNALDATE RFC822.SIZE BODYSTRUCTURE ` +
  `BODY.PEEK[HEADER.FIELDS (${MIRRORED_FIELDS.join(' ').toUpperCase()})]<0.${USUAL_HEADER}>)`

export async function withMailServer<T>(work: (login: Login) => Promise<T>): Promise<T> {
  const dovecot: Dovecot = await startDovecot({ users: { [USER]: PASSWORD } })
  try {
    await dovecot.deliver(USER, 'INBOX', mirrorMail())
    // As an account has it whose server everybody trusts: an authority of its own would be read for every connection.
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(dovecot.caFile, 'utf8')])
    const login = { port: dovecot.port, tlsPort: dovecot.tlsPort, user: USER, password: PASSWORD }
    await fetchRows(login)
    return await work(login)
  } finally {
    await dovecot.stop()
  }
}

export async function rawSession({ port, user, password }: Login, secure = false): Promise<RawImap> {
  const raw = await RawImap.open(port, secure)
  await raw.command(`LOGIN ${user} ${password}`)
  return raw
}

/** Connected and logged in within the time that it takes. Returns how many bytes came. */
export async function fetchRows(login: Login): Promise<number> {
  const raw = await rawSession(login)
  try {
    await raw.command('EXAMINE INBOX')
    return (await raw.command(ROWS)).bytes
  } finally {
    raw.close()
  }
}
