/**
 * The outbox by itself, on real files: its store, its vault and a mailbox of one owner in a folder of their own, before a real
 * SMTP server. The clock is the test's.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createReadNotes } from '../../src/adapters/outbox/read-notes.ts'
import { createOutboxStore } from '../../src/adapters/outbox/store.ts'
import { sha256 } from '../../src/adapters/seal/digest.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { createVault } from '../../src/adapters/vault/vault.ts'
import { type Composed, composeMessage } from '../../src/core/compose/compose.ts'
import { parseHeader } from '../../src/core/mime/header.ts'
import { unjudged } from '../../src/core/outbox/html-review.ts'
import { sendingOf } from '../../src/core/outbox/sending-of.ts'
import { ASK_ALWAYS, type SendRules } from '../../src/core/policy/sending.ts'
import type { SendEnding } from '../../src/core/send-ending.ts'
import { type Account, Accounts } from '../../src/engine/accounts/accounts.ts'
import type { OutboxDesk } from '../../src/engine/outbox/desk.ts'
import { createOutboxDesk } from '../../src/engine/outbox/operator-desk.ts'
import { Outbox, type SendRequest } from '../../src/engine/outbox/outbox.ts'
import type { OutboxParts } from '../../src/engine/outbox/parts.ts'
import { presenter } from '../../src/engine/outbox/review.ts'
import type { VaultFolder } from '../../src/ports/vault.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { sender } from '../smtp/desk.ts'

export const NOW = Date.parse('2026-05-06T10:00:00.000Z')
export const PERSON = { via: 'command', name: 'anna', address: 'terminal' } as const
/** More than any test has. */
const MANY_PENDING = { messages: 1_000_000, bytes: 1024 ** 3 }
export const MANY = { most: 1_000_000, lengthMs: 60 * 60 * 1000 }

/** What an agent asks for, with all that it may hold. */
export interface Wish {
  readonly caller: string
  readonly account: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string
  readonly body: string
  readonly html?: string
  readonly attached: readonly { readonly filename: string; readonly type: string; readonly text: string }[]
  /** What it answers: the thread as the caller names it, and the id of the message. */
  readonly answers?: { readonly thread: string; readonly messageId: string }
}

export const WISH: Wish = {
  ...{ caller: 'local', account: 'work', from: 'ada@example.org' },
  ...{ to: ['Bob <bob@example.com>'], cc: [], bcc: [] },
  ...{ subject: 'Lunch on Friday', body: 'Shall we say noon?', attached: [] },
}

export interface Place {
  readonly directory: string
  readonly parts: OutboxParts
  readonly outbox: Outbox
  readonly desk: OutboxDesk
  now: number
  /** As for accounts of the environment: files written by hand count. */
  rules: SendRules
  request(wish: Wish): SendRequest
  ask(wish: Wish): Promise<SendEnding>
  /** Puts a file among the approvals, or elsewhere, as if at that time. */
  put(file: string, text: string | Uint8Array, folder?: VaultFolder, at?: number): void
  files(folder: VaultFolder): readonly string[]
  read(folder: VaultFolder, file: string): string
  move(file: string, from: VaultFolder, to: VaultFolder): void
  close(): Promise<void>
}

export interface PlaceOptions {
  /** Of the SMTP server. */
  readonly port: number
  /** Default: one of its own, removed at the end. */
  readonly directory?: string
  /** Default: one, `work`. */
  readonly accounts?: readonly string[]
  readonly more?: Partial<OutboxParts>
  /** What is put around each of its parts. */
  readonly around?: Around
}

export type Around = <T extends object>(name: 'store' | 'vault' | 'sender' | 'mailbox', part: T) => T

export async function openPlace(options: PlaceOptions): Promise<Place> {
  const { port, directory: given, accounts: ids = ['work'], more, around = (_name, part) => part } = options
  const directory = given ?? mkdtempSync(join(tmpdir(), 'po-place-'))
  const vault = join(directory, 'vault')
  const book = await Promise.all(ids.map((id) => accountOf(id, directory, port, around)))
  const accounts = new Accounts(book)
  const review = more?.review ?? (async (html: string) => unjudged(html))
  const parts: OutboxParts = {
    accounts,
    store: around(
      'store',
      createOutboxStore({
        path: join(directory, 'outbox.db'),
        locks: fileLocks,
        databases: databaseFiles,
        now: () => place.now,
      }),
    ),
    notes: createReadNotes({ path: join(directory, 'reads.db'), databases: databaseFiles }),
    vault: around('vault', createVault({ directory: vault, present: presenter(review) })),
    clock: { now: () => place.now, elapsed: () => performance.now() },
    audit: { append: async () => ({ seq: 0 }), close: async () => undefined },
    log: silentLog,
    devMode: false,
    digest: sha256,
    newId: () => crypto.randomUUID(),
    review,
    safeHtml: async (html) => html,
    limit: MANY,
    backOffMs: [],
    ...more,
  }
  const place: Place = {
    directory,
    parts,
    outbox: new Outbox(parts),
    desk: createOutboxDesk(parts),
    now: NOW,
    rules: { ...ASK_ALWAYS, requireDigest: false, pendingLimit: MANY_PENDING },
    request: (wish) => requestOf(wish, place),
    ask: (wish) => place.outbox.send(requestOf(wish, place), new AbortController().signal),
    put(file, text, folder = 'Approved', at = place.now) {
      mkdirSync(join(vault, folder), { recursive: true, mode: 0o700 })
      writeFileSync(join(vault, folder, file), text)
      utimesSync(join(vault, folder, file), at / 1000, at / 1000)
    },
    files: (folder) => listed(join(vault, folder)),
    read: (folder, file) => readFileSync(join(vault, folder, file), 'utf8'),
    move: (file, from, to) => renameSync(join(vault, from, file), join(vault, to, file)),
    async close() {
      await Promise.all([parts.store.close(), parts.notes.close(), accounts.close()])
      if (given === undefined) rmSync(directory, { recursive: true, force: true })
    },
  }
  return place
}

async function accountOf(id: string, directory: string, port: number, around: Around): Promise<Account> {
  const source = createLocalSource({ path: join(directory, `${id}.db`), account: id, databases: databaseFiles })
  const { signal } = new AbortController()
  const has = (await source.mailboxes(signal)).some(({ name }) => name === 'Sent')
  if (!has) await source.createMailbox('Sent')
  const server = { host: '127.0.0.1', port, secure: false, provider: 'imap-standard' } as const
  const ends = { source: around('mailbox', source), sender: around('sender', sender(port)) }
  return { id, ...server, ...ends, address: 'ada@example.org' }
}

export function composed(
  { from, attached, answers, to, cc, bcc, subject, body, html }: Wish,
  uniqueName: string,
): Composed {
  return composeMessage({
    letter: { to, cc, bcc, subject, body, ...(html !== undefined && { html }) },
    from,
    date: NOW / 1000,
    uniqueName,
    original: answers && {
      header: parseHeader(Buffer.from(`From: bob@example.com\r\nMessage-ID: ${answers.messageId}\r\n\r\n`)),
      received: NOW / 1000,
      text: 'What was asked.',
      truncated: false,
    },
    attachments: attached.map(({ filename, type, text }) => ({ filename, type, bytes: Buffer.from(text) })),
  })
}

export function sendingFor(wish: Wish, written: Composed): SendRequest['sending'] {
  const asked = { caller: wish.caller, account: wish.account, thread: wish.answers?.thread }
  return sendingOf(written, asked, sha256)
}

function requestOf(wish: Wish, { parts, rules }: Place): SendRequest {
  const written = composed(wish, crypto.randomUUID())
  const account = parts.accounts.current.get(wish.account)
  const { messageId, bytes } = written
  return { sending: sendingFor(wish, written), messageId, bytes, account, rules, taken: [] }
}

/** Without what is just being written. */
function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted()
  } catch {
    return []
  }
}

/** A file as a person writes it. */
export const byHand = (...lines: readonly string[]): string => `---\n${lines.join('\n')}\n---\n`
