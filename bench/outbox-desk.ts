/** The whole of what a letter passes on its way out, in the measuring process: gate, record, outbox, vault and SMTP. */
import { join } from 'node:path'
import { createAttachmentFiles } from '../src/adapters/attachments/attachment-files.ts'
import { createAuditLog } from '../src/adapters/audit/audit-log.ts'
import { systemClock } from '../src/adapters/clock/system-clock.ts'
import { createImapSource } from '../src/adapters/imap/source.ts'
import { fileLocks } from '../src/adapters/lock/file-locks.ts'
import { createContentReader } from '../src/adapters/mime/reader.ts'
import { createReadNotes } from '../src/adapters/outbox/read-notes.ts'
import { createOutboxStore } from '../src/adapters/outbox/store.ts'
import { sha256 } from '../src/adapters/seal/digest.ts'
import { createSeal } from '../src/adapters/seal/seal.ts'
import { createSmtpSender } from '../src/adapters/smtp/sender.ts'
import { databaseFiles } from '../src/adapters/sqlite/database-files.ts'
import { createVault } from '../src/adapters/vault/vault.ts'
import type { Caller } from '../src/core/call/caller.ts'
import { unjudged } from '../src/core/outbox/html-review.ts'
import { ownerPolicy } from '../src/core/policy/policy.ts'
import { SEND_DEFAULTS, sendRules } from '../src/core/policy/sending.ts'
import { type Account, Accounts } from '../src/engine/accounts/accounts.ts'
import { fixedPassword } from '../src/engine/credentials/fixed-password.ts'
import { createGate } from '../src/engine/gate/gate.ts'
import { unlimited } from '../src/engine/gate/limits.ts'
import { Outbox } from '../src/engine/outbox/outbox.ts'
import { SINK_PASSWORD, SINK_USER } from '../test/smtp/sink.ts'
import type { Login } from './servers.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const { signal } = new AbortController()

export interface Desk {
  /** Throws where it was not sent. */
  send(subject: string, body: string): Promise<void>
  close(): Promise<void>
}

/** `filesSent`: whether the server keeps a copy of what leaves, or we do. */
export function openDesk(home: string, imap: Login, smtpPort: number, filesSent: boolean): Desk {
  const { port, user, password } = imap
  const line = { host: '127.0.0.1', tls: 'none' } as const
  const account: Account = {
    id: 'bench',
    ...{ host: '127.0.0.1', port, secure: false, provider: 'imap-standard', address: SINK_USER, filesSent },
    source: createImapSource({ account: 'bench', ...line, port, user, access: fixedPassword(password) }, quiet),
    sender: createSmtpSender(
      { account: 'bench', ...line, port: smtpPort, user: SINK_USER, access: fixedPassword(SINK_PASSWORD) },
      quiet,
    ),
  }
  const accounts = new Accounts([account])
  const audit = createAuditLog({ directory: join(home, 'audit'), keyDirectory: home, clock: systemClock, log: quiet })
  const store = createOutboxStore({ path: join(home, 'outbox.db'), locks: fileLocks, databases: databaseFiles })
  const notes = createReadNotes({ path: join(home, 'reads.db'), databases: databaseFiles })
  const shared = { accounts, audit, clock: systemClock, log: quiet }
  const outbox = new Outbox({
    ...shared,
    store,
    notes,
    vault: createVault({ directory: join(home, 'vault') }),
    devMode: false,
    digest: sha256,
    review: async (html) => unjudged(html),
    safeHtml: async (html) => html,
    newId: () => crypto.randomUUID(),
    // No limit, and none to count for: a real one looks at ten attempts, not at all of the last second.
    limit: { most: Number.MAX_SAFE_INTEGER, lengthMs: 1 },
  })
  const content = createContentReader(quiet)
  const gate = createGate({
    ...shared,
    outbox,
    content,
    files: createAttachmentFiles({ directory: join(home, 'attachments') }),
    transfers: { carry: async () => [], find: async () => undefined },
    seal: createSeal({ directory: home }),
    limits: unlimited,
    deadlineMs: 60_000,
  })
  const never = { ...SEND_DEFAULTS, approval: 'never' } as const
  const caller: Caller = { id: 'bench', address: 'stdio', policy: { ...ownerPolicy(true), send: sendRules(never) } }
  return {
    async send(subject, body) {
      const letter = { to: ['bob@example.com'], cc: [], subject, body }
      const action = { kind: 'send_mail', account: 'bench', letter, answers: undefined } as const
      const outcome = await gate.run({ caller, tool: 'send_email', action, folders: 'places', signal })
      if (outcome.kind !== 'done' || outcome.result.kind !== 'sent')
        throw new Error(`not sent: ${JSON.stringify(outcome)}`)
    },
    async close() {
      await accounts.close()
      await Promise.all([store.close(), notes.close(), audit.close(), content.close()])
    },
  }
}
