/**
 * Transfers between two accounts of a real mail server, in this process, with an unreliable network before each of them.
 *
 * Each case has mailboxes, proxies, a journal and a spool of its own, so that many run at once.
 */

import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import type { ImapOptions } from '../../src/adapters/imap/line/options.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { sha256 } from '../../src/adapters/seal/digest.ts'
import { createSpool } from '../../src/adapters/spool/spool.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { AuditEntry } from '../../src/core/audit/record.ts'
import { isFinal } from '../../src/core/transfer/machine.ts'
import type { Operation, Transfer } from '../../src/core/transfer/transfer.ts'
import { type Account, Accounts } from '../../src/engine/accounts/accounts.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { Transfers } from '../../src/engine/transfer/transfers.ts'
import { type Dovecot, type DovecotOptions, startDovecot } from '../dovecot/dovecot.ts'
import { type OtherClient, otherClient } from '../dovecot/other-client.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { at, letter, type SeedMessage } from '../mail-source/messages.ts'
import { contents, hashOf, type Stored } from './contents.ts'
import { type FaultProxy, type Lesser, startFaultProxy } from './fault-proxy.ts'

export const PASSWORD = 'correct horse'
/** Longer than any fault here, so that only what tests it waits for it. */
const PATIENT_MS = 10_000

export type Side = 'source' | 'destination'
export const SIDES: readonly Side[] = ['source', 'destination']
const USERS: Readonly<Record<Side, string>> = { source: 'ada', destination: 'bob' }

export interface CaseOptions {
  readonly messages?: number
  readonly silenceMs?: number
  readonly retryLimit?: number
  readonly settleMs?: number
  readonly backOffMs?: readonly number[]
  readonly lesser?: Partial<Readonly<Record<Side, Lesser>>>
  /** How often the very message is at the destination before anything begins. */
  readonly twins?: number
  onStuck?(transfers: readonly Transfer[]): void
}

export interface Case {
  readonly transfers: Transfers
  readonly accounts: Accounts
  readonly proxies: Readonly<Record<Side, FaultProxy>>
  readonly others: Readonly<Record<Side, OtherClient>>
  readonly mailboxes: Readonly<Record<Side, string>>
  readonly uids: readonly number[]
  readonly audit: readonly AuditEntry[]
  readonly directory: string
  /** Begins the transfers; resolves to their ids when the call is over, however far they are. */
  go(
    operation: Operation,
    some?: readonly number[],
    sizes?: ReadonlyMap<number, number>,
    signal?: AbortSignal,
  ): Promise<readonly Transfer[]>
  /** How they end. */
  ends(begun: readonly Transfer[]): Promise<readonly Transfer[]>
  /** One more process, so to speak: the same journal, other connections. */
  another(): Transfers
  /** Somebody else puts mail there. */
  arrive(messages: readonly SeedMessage[]): Promise<readonly number[]>
  /** The same accounts, with connections of their own. */
  freshAccounts(): readonly Account[]
  look(side: Side): Promise<readonly Stored[]>
  /** Over a new connection: Dovecot's own are confused where a mailbox was made anew. */
  lookAnew(side: Side): Promise<readonly Stored[]>
  /** Holds whatever happened: nobody else's mail was touched, and each message is where its transfer says it is. */
  check(ended: readonly Transfer[]): Promise<void>
  close(): Promise<void>
}

export interface Scene {
  readonly dovecot: Dovecot
  open(options?: CaseOptions): Promise<Case>
  close(): Promise<void>
}

export async function startScene(options: Partial<DovecotOptions> = {}): Promise<Scene> {
  const users = Object.fromEntries(Object.values(USERS).map((user) => [user, PASSWORD]))
  const dovecot = await startDovecot({ users, ...options })
  const clients: Record<Side, OtherClient[]> = { source: [], destination: [] }
  let cases = 0
  return {
    dovecot,
    open: async (more = {}) => {
      cases += 1
      const name = `case ${cases}`
      const others = await both(async (side) => clients[side].pop() ?? otherClient(dovecot.port, USERS[side], PASSWORD))
      const giveBack = (): void => {
        for (const side of SIDES) clients[side].push(others[side])
      }
      return openCase(dovecot, { name, others, giveBack }, more)
    },
    close: async () => {
      await Promise.all(SIDES.flatMap((side) => clients[side].map((client) => client.close().catch(() => undefined))))
      await dovecot.stop()
    },
  }
}

export const FLAGS = ['$Kept', '\\Flagged', '\\Seen']
export const RECEIVED = at('2019-03-04T05:06:07Z')

export function message(number: number): SeedMessage {
  const body = `This is letter ${number}.\r\n.\r\nGrüße`
  const raw = letter({ subject: `letter ${number}`, messageId: `<letter-${number}@example.org>`, body })
  return { raw, flags: FLAGS, received: RECEIVED + number }
}

/** The same Message-ID; the same Message-ID, subject and size. */
export function decoys(number: number): SeedMessage[] {
  const { raw } = message(number)
  const near = String(raw).replace('This is letter', 'That is letter')
  return [{ raw: letter({ subject: 'decoy', messageId: `<letter-${number}@example.org>` }) }, { raw: near }]
}

const BYSTANDERS: readonly SeedMessage[] = [
  { raw: letter({ subject: 'bystander', messageId: '<bystander@example.org>' }) },
  { raw: letter({ subject: 'flagged by somebody', messageId: '<flagged@example.org>' }), flags: ['\\Deleted'] },
]

async function both<T>(make: (side: Side) => Promise<T>): Promise<Record<Side, T>> {
  return { source: await make('source'), destination: await make('destination') }
}

interface Ground {
  readonly name: string
  readonly others: Readonly<Record<Side, OtherClient>>
  giveBack(): void
}

async function openCase(dovecot: Dovecot, ground: Ground, options: CaseOptions): Promise<Case> {
  const { name, others, giveBack } = ground
  const { messages = 1, twins = 0, lesser = {} } = options
  const directory = await mkdtemp(join(tmpdir(), 'pf-'))
  const mailboxes = { source: `${name} from`, destination: `${name} to` }
  const proxies = await both((side) => startFaultProxy(dovecot.port, lesser[side]))
  const letters = Array.from({ length: messages }, (_, index) => message(index))
  await others.source.seed(mailboxes.source, BYSTANDERS)
  const uids = await others.source.seed(mailboxes.source, letters)
  const there = [
    ...letters.flatMap((_, index) => decoys(index)),
    ...Array.from({ length: twins }, () => letters).flat(),
  ]
  await others.destination.seed(mailboxes.destination, there)
  const look = (side: Side): Promise<readonly Stored[]> => contents(others[side].imap, mailboxes[side])
  const before = await both(look)
  const { uidValidity: uidvalidity } = await others.source.imap.mailboxOpen(mailboxes.source)

  const audit: AuditEntry[] = []
  const opened: Transfers[] = []
  const books: Accounts[] = []
  const another = (): Transfers => {
    const accounts = new Accounts(freshAccounts())
    books.push(accounts)
    const transfers = new Transfers({
      accounts,
      journal: createJournal({ path: join(directory, 'journal.sqlite'), locks: fileLocks, databases: databaseFiles }),
      spool: createSpool({ directory: join(directory, 'spool') }),
      clock: systemClock,
      audit: { append: async (entry) => ({ seq: audit.push(entry) }), close: async () => undefined },
      log: silentLog,
      digest: sha256,
      newId: randomUUID,
      retryLimit: options.retryLimit ?? 4,
      backOffMs: options.backOffMs ?? [20, 60, 120],
      settleMs: options.settleMs ?? 100,
      ...(options.onStuck !== undefined && { onStuck: options.onStuck }),
    })
    opened.push(transfers)
    return transfers
  }
  const freshAccounts = (): readonly Account[] => SIDES.map(accountOf)
  function accountOf(side: Side): Account {
    const settings: ImapOptions = {
      ...{ account: side, host: '127.0.0.1', port: proxies[side].port, tls: 'none', user: USERS[side] },
      access: fixedPassword(PASSWORD),
      socketTimeoutMs: options.silenceMs ?? PATIENT_MS,
      greetingTimeoutMs: options.silenceMs ?? PATIENT_MS,
      connectTimeoutMs: options.silenceMs ?? PATIENT_MS,
    }
    const told = {
      id: side,
      host: '127.0.0.1',
      port: proxies[side].port,
      secure: false,
      provider: 'imap-standard',
    } as const
    return { ...told, source: createImapSource(settings, silentLog) }
  }
  const transfers = another()
  const accounts = books[0] as Accounts
  return {
    transfers,
    accounts,
    proxies,
    others,
    mailboxes,
    uids,
    audit,
    directory,
    another,
    arrive: (more) => others.destination.seed(mailboxes.destination, more),
    freshAccounts,
    look,
    lookAnew: async (side) => {
      const client = await otherClient(dovecot.port, USERS[side], PASSWORD)
      try {
        return await contents(client.imap, mailboxes[side])
      } finally {
        await client.close()
      }
    },
    go: (operation, some = uids, sizes = new Map(), signal = new AbortController().signal) =>
      accounts.reading((book) =>
        transfers.carry(
          {
            callerId: 'anna',
            operation,
            from: { account: 'source', mailbox: mailboxes.source, uidvalidity: Number(uidvalidity) },
            uids: some,
            to: { account: 'destination', mailbox: mailboxes.destination },
            readable: new Set(uids),
            sizes,
          },
          book,
          signal,
        ),
      ),
    ends: (begun) => final(transfers, begun),
    check: async (ended) => {
      const now = await both(look)
      const expected = new Map(uids.map((uid, index) => [uid, letters[index] as SeedMessage]))
      const carried = new Set([...expected.values()].map(({ raw }) => hashOf(raw)))
      const strangers = (all: readonly Stored[]): readonly Stored[] => all.filter(({ hash }) => !carried.has(hash))
      expect(strangers(now.source)).toEqual(strangers(before.source))
      expect(strangers(now.destination)).toEqual(strangers(before.destination))
      for (const transfer of ended) {
        const sent = expected.get(transfer.source.uid) as SeedMessage
        checkOne(transfer, sent, now, twins)
      }
      // Its file goes right after the end of a transfer is on disk.
      await vi.waitFor(async () => expect(await leftInSpool(directory)).toEqual([]), { timeout: 60_000 })
    },
    close: async () => {
      await Promise.all(opened.map((one) => one.close()))
      await Promise.all(books.map((book) => book.close()))
      await Promise.all(SIDES.map((side) => proxies[side].close()))
      giveBack()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function leftInSpool(directory: string): Promise<readonly string[]> {
  return readdir(join(directory, 'spool')).catch(() => [])
}

function checkOne(
  { status, operation, sourceGone, txId, lastError, content }: Transfer,
  { raw, received }: SeedMessage,
  now: Readonly<Record<Side, readonly Stored[]>>,
  twins: number,
): void {
  const ours = (side: Side): readonly Stored[] => now[side].filter(({ hash }) => hash === hashOf(raw))
  const [here, there] = [ours('source'), ours('destination')]
  const like = { flags: FLAGS, received }
  const tale = JSON.stringify({ txId, status, sourceGone, lastError, flags: content?.flags, here, there })
  switch (status) {
    case 'committed':
      expect(there.length, tale).toBe(twins + 1)
      expect(there.at(-1), tale).toMatchObject(like)
      if (operation === 'copy') expect(here, tale).toEqual([expect.objectContaining(like)])
      else if (sourceGone === 'yes') expect(here, tale).toEqual([])
      else
        expect(
          here.filter(({ flags }) => !flags.includes('\\Deleted')),
          tale,
        ).toEqual([])
      return
    case 'aborted':
      expect(there.length, tale).toBe(twins)
      expect(here, tale).toEqual([expect.objectContaining(like)])
      return
    case 'needs_operator':
      expect(here.length + there.length, tale).toBeGreaterThanOrEqual(twins + 1)
      return
    default:
      throw new Error(`not final: ${tale}`)
  }
}

async function final(transfers: Transfers, begun: readonly Transfer[]): Promise<readonly Transfer[]> {
  for (const end = performance.now() + 60_000; ; ) {
    const now = await Promise.all(begun.map(({ txId }) => transfers.find(txId)))
    const known = now.filter((transfer) => transfer !== undefined)
    if (known.length === begun.length && known.every(isFinal)) return known
    if (performance.now() > end) throw new Error(`these do not end: ${JSON.stringify(known)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
