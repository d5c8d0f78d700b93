/** The mail-source contract on real Dovecot, in the shapes that servers come in. */
import { readFile } from 'node:fs/promises'
import type { ImapOptions } from '../../src/adapters/imap/line/options.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import type { SourceUnderTest } from '../mail-source/bench.ts'
import { mailSourceContract } from '../mail-source/contract.ts'
import { capabilityWithout, type Dovecot, startDovecot } from './dovecot.ts'
import { otherClient } from './other-client.ts'
import { silentLog } from './silent-log.ts'

const USER = 'ada'
const PASSWORD = 'correct horse'

interface Shape {
  readonly capability?: string
  readonly tls?: ImapOptions['tls']
}

const SHAPES: Readonly<Record<string, Shape>> = {
  full: {},
  'without MOVE': { capability: capabilityWithout('MOVE') },
  'without MOVE and UIDPLUS': { capability: capabilityWithout('MOVE', 'UIDPLUS') },
  'without LITERAL+': { capability: capabilityWithout('LITERAL+') },
  'without SORT': { capability: capabilityWithout('SORT', 'SORT=DISPLAY', 'ESORT') },
  'without SPECIAL-USE and LIST-EXTENDED': { capability: capabilityWithout('SPECIAL-USE', 'LIST-EXTENDED') },
  'IMAP4rev1 and nothing more': { capability: 'IMAP4rev1' },
  'over TLS': { tls: 'implicit' },
  'over STARTTLS': { tls: 'starttls' },
}

async function make({ capability, tls = 'none' }: Shape): Promise<SourceUnderTest> {
  const dovecot = await startDovecot({
    users: { [USER]: PASSWORD },
    ...(capability === undefined ? {} : { capability }),
  })
  const other = await otherClient(dovecot.port, USER, PASSWORD)
  const source = createImapSource(await options(dovecot, tls), silentLog)
  return {
    source,
    seed: other.seed,
    vanish: other.vanish,
    dispose: async () => {
      await source.close()
      await other.close().catch(() => undefined)
      await dovecot.stop()
    },
  }
}

async function options(dovecot: Dovecot, tls: ImapOptions['tls']): Promise<ImapOptions> {
  const port = tls === 'implicit' ? dovecot.tlsPort : dovecot.port
  const ca = tls === 'none' ? {} : { ca: await readFile(dovecot.caFile, 'utf8') }
  return {
    account: 'work',
    socketTimeoutMs: 10_000,
    host: 'localhost',
    port,
    tls,
    user: USER,
    access: fixedPassword(PASSWORD),
    ...ca,
  }
}

for (const [name, shape] of Object.entries(SHAPES)) mailSourceContract(`Dovecot ${name}`, () => make(shape))
