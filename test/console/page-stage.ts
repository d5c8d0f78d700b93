/**
 * The console without the rest of the program: its real door, lock, page and letters, with an outbox and a record in memory.
 *
 * INVARIANT: listens on the loopback address only. Letters change by the program's own state machine and by nothing else.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createPageFiles } from '../../src/adapters/console-files/page-files.ts'
import { createConsoleKeys } from '../../src/adapters/console-keys/key-files.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { Failure } from '../../src/core/failure.ts'
import type { OutboxEntry } from '../../src/core/outbox/entry.ts'
import { after, type EntryEvent } from '../../src/core/outbox/machine.ts'
import { presentParts } from '../../src/core/outbox/present.ts'
import type { AccountState } from '../../src/engine/console/account-states.ts'
import type { ConsoleDesk, DiffAnswer } from '../../src/engine/console/desk.ts'
import { createLetters } from '../../src/engine/console/letters.ts'
import { createLock } from '../../src/engine/console/lock.ts'
import type { TransferState } from '../../src/engine/console/transfer-states.ts'
import type { OutboxDesk, Person } from '../../src/engine/outbox/desk.ts'
import { htmlOf, htmlReviewer } from '../../src/engine/outbox/review.ts'
import type { ChangeKind } from '../../src/ports/changes.ts'
import type { ContentReader } from '../../src/ports/content-reader.ts'
import { openConsoleDoor } from '../../src/surfaces/console/console.ts'
import { listen } from '../../src/surfaces/mcp/http.ts'
import { freePort } from '../dovecot/dovecot.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { buildPage } from './page-build.ts'
import { sampleLetter } from './page-letters.ts'
import {
  CALLERS,
  DIFFERENCE,
  type SampleRecord,
  SIMULATION,
  sampleAccounts,
  sampleRecord,
  sampleTransfers,
} from './page-samples.ts'

export interface Stage {
  readonly origin: string
  letters: OutboxEntry[]
  records: SampleRecord[]
  accounts: AccountState[]
  transfers: TransferState[]
  difference: DiffAnswer
  readonly readers: string[]
  /** What was decided, by whom. */
  readonly decided: {
    readonly what: string
    readonly id: string
    readonly person: Person
    readonly reason?: string
    readonly acknowledged?: boolean
  }[]
  newLink(): Promise<string>
  /** Tells open pages. */
  changed(kind: ChangeKind): void
  /** As if the program had ended. */
  goAway(): Promise<void>
  /** At the same address. */
  comeBack(): Promise<void>
  close(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'pp-'))
  await buildPage(join(folder, 'page'))
  const watchers = new Set<(kind: ChangeKind) => void>()
  const changed = (kind: ChangeKind): void => {
    for (const tell of watchers) tell(kind)
  }
  const content = createContentReader(silentLog)
  const server = createServer()
  const port = await listen(server, '127.0.0.1', await freePort())
  const origin = `http://127.0.0.1:${port}`
  const stage: Stage = {
    origin,
    letters: [],
    records: [],
    accounts: sampleAccounts(),
    transfers: sampleTransfers(),
    difference: DIFFERENCE,
    readers: ['rosa@riverside.example', 'ben@harbour.example'],
    decided: [],
    newLink: () => door.newLink(origin),
    changed,
    async goAway() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
    async comeBack() {
      await listen(server, '127.0.0.1', port)
    },
    async close() {
      door.close()
      await stage.goAway()
      await content.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  const audit = {
    append: async (entry: object) => {
      const seq = stage.records.length + 1
      stage.records.unshift({ ...sampleRecord(seq), ...entry })
      changed('activity')
      return seq
    },
  }
  const desk: ConsoleDesk = {
    about: {
      version: '1.2.3',
      devMode: false,
      host: 'orchard',
      program: 'npx postern',
      programForStrangers: 'npx postern',
    },
    lock: createLock({
      keys: createConsoleKeys({ directory: folder }),
      audit: audit as never,
      clock: systemClock,
      log: silentLog,
      user: 'ada',
    }),
    letters: createLetters(outboxOf(stage, content)),
    activity: {
      page: async ({ before, limit, ...filter }) => {
        const found = stage.records.filter((record) => matches(record, filter))
        const from = before === undefined ? 0 : found.findIndex(({ id }) => id === before) + 1
        const chain = { state: 'ok', checkedUpTo: stage.records.length } as const
        return { records: found.slice(from, from + limit), chain, more: found.length > from + limit }
      },
    },
    access: {
      list: () => CALLERS,
      simulate: async ({ uid }) => {
        if (uid === 404) throw new Failure('not_found', 'there is no such message in that folder')
        return SIMULATION
      },
      diff: async () => stage.difference,
    },
    accounts: {
      list: async () => stage.accounts,
      reconnect: async (id) => {
        const found = stage.accounts.find((account) => account.id === id)
        if (found?.state !== 'connected')
          throw new Failure('unavailable', 'the server does not answer; see that it runs')
        return found
      },
    },
    transfers: {
      list: async () => stage.transfers,
      retry: async (id) => turn(stage, id, 'staged'),
      abandon: async (id) => turn(stage, id, 'aborted'),
    },
    changes: {
      watch: (tell) => {
        watchers.add(tell)
        return () => watchers.delete(tell)
      },
    },
    files: createPageFiles([join(folder, 'page')]),
  }
  const door = openConsoleDoor({
    desk,
    onBug: (error) => {
      throw error
    },
  })
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const from = { address: '127.0.0.1', target: incoming.url ?? '/' }
      return (await door.answer(request, from)) ?? new Response('not found', { status: 404 })
    },
    { overrideGlobalObjects: false },
  )
  server.on('request', (request, response) => void listener(request, response))
  return stage
}

function outboxOf(stage: Stage, content: ContentReader): OutboxDesk {
  const find = (id: string): OutboxEntry => {
    const found = stage.letters.find((entry) => entry.id === id)
    if (found === undefined) throw new Failure('not_found', 'there is no such letter')
    return found
  }
  const happen = (id: string, event: EntryEvent): OutboxEntry => {
    const entry = find(id)
    const next = { ...entry, state: after(entry.state, event) }
    stage.letters = stage.letters.map((one) => (one.id === id ? next : one))
    stage.changed('outbox')
    return next
  }
  const at = (): number => Date.now()
  return {
    list: async ({ kinds }) => stage.letters.filter(({ state }) => kinds === undefined || kinds.includes(state.kind)),
    show: async (id, signal) => {
      const entry = find(id)
      const html = await htmlOf(entry, htmlReviewer(content), signal)
      return { entry, ...presentParts(entry, html), readers: stage.readers, unknownReaders: false }
    },
    approve: async (id, person, acknowledged) => {
      stage.decided.push({ what: 'approve', id, person, ...(acknowledged && { acknowledged }) })
      return happen(id, { kind: 'approve', approval: { via: 'console', by: person.name, at: at() } })
    },
    reject: async (id, person, reason) => {
      stage.decided.push({ what: 'reject', id, person, ...(reason !== undefined && { reason }) })
      return happen(id, { kind: 'reject', by: person.name, at: at(), reason })
    },
    revise: async (id, how, person) => {
      stage.decided.push({ what: how, id, person })
      const version = sampleLetter({ subject: find(id).sending.subject, version: { of: id, by: person.name, how } })
      stage.letters = [version, ...stage.letters]
      stage.changed('outbox')
      return version
    },
    lookForCopy: async () => 'not_found',
    settle: async (id, wasSent, person) => {
      stage.decided.push({ what: wasSent ? 'sent' : 'not sent', id, person })
      return happen(id, { kind: 'settle', at: at(), wasSent })
    },
  }
}

function turn(stage: Stage, id: string, status: TransferState['status']): TransferState {
  const found = stage.transfers.find((transfer) => transfer.id === id)
  if (found?.status !== 'needs_operator') throw new Failure('conflict', 'it needs nobody')
  const next = { ...found, status }
  stage.transfers = stage.transfers.map((transfer) => (transfer.id === id ? next : transfer))
  stage.changed('transfers')
  return next
}

interface RecordFilter {
  readonly caller?: string
  readonly tool?: string
  readonly decision?: string
  readonly result?: string
}

function matches(record: SampleRecord, { caller, tool, decision, result }: RecordFilter): boolean {
  return (
    (caller === undefined || record.caller_id === caller) &&
    (tool === undefined || record.tool === tool) &&
    (decision === undefined || record.decision === decision) &&
    (result === undefined || record.result === result)
  )
}
