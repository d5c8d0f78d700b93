/**
 * Mirroring a large mailbox of a real Dovecot: its headers beside a bare socket that asks for the same and beside
 * imapflow's own fetch, all of it beside mbsync, and looking again when nothing has changed.
 *
 * INVARIANT: a time counts only where all messages came. Every sync begins from nothing.
 */
import { strictEqual } from 'node:assert'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { count, least, median, megabytes, ms, times } from './figures.ts'
import { hasMbsync, mbsync } from './mbsync.ts'
import { LINE_MS, type Look, type Looking, type Looks, unchanged } from './mirror-delta.ts'
import { MESSAGES } from './mirror-mail.ts'
import { fetchRows, withMailServer } from './mirror-server.ts'
import { posternSync } from './postern-sync.ts'
import { type Ended, runToEnd, sizeOf } from './processes.ts'
import type { Goal, Section } from './report.ts'
import { inTemporaryFolder, type Login } from './servers.ts'

const SYNCER = join(import.meta.dirname, 'mirror-syncer.ts')
const HEADER_ROUNDS = 3
const FULL_ROUNDS = 3
const MOST_MEMORY = 300e6

const LOOKED: Readonly<Record<Looking, string>> = {
  rawHere: 'nothing new: bare socket, SELECT (QRESYNC)',
  rawAnew: 'nothing new: bare socket, with connecting',
  rawTls: 'nothing new: bare socket, with connecting over TLS',
  posternHere: 'nothing new: Postern, before an answer',
  posternAnew: 'nothing new: Postern, with connecting',
  posternTls: 'nothing new: Postern, with connecting over TLS',
  posternProcess: 'nothing new: postern sync, all folders',
  mbsync: 'nothing new: mbsync',
}

export async function mirrorSync(): Promise<Section> {
  return inTemporaryFolder((home) =>
    withMailServer(async (login) => {
      const headers = await headerSync(home, login)
      const full = await fullSync(home, login)
      const looks = await unchanged(login, join(home, full.mirror), full.pulled && join(home, full.pulled))
      return section(headers, full, looks)
    }),
  )
}

interface Headers {
  readonly raw: number
  readonly imapflow: number
  readonly stored: number
  readonly searchable: number
  readonly process: Ended
  readonly bytes: number
}

async function headerSync(home: string, login: Login): Promise<Headers> {
  const samples = { raw: [] as number[], imapflow: [] as number[], stored: [] as number[], searchable: [] as number[] }
  let bytes = 0
  await imapflowFetch(login)
  for (let round = 0; round < HEADER_ROUNDS; round += 1) {
    samples.raw.push(
      await timed(async () => {
        bytes = await fetchRows(login)
      }),
    )
    samples.imapflow.push(await timed(() => imapflowFetch(login)))
    const { stored, searchable } = await syncHeaders(join(home, `headers-${round}.db`), login)
    samples.stored.push(stored)
    samples.searchable.push(searchable)
  }
  const { raw, imapflow, stored, searchable } = samples
  const process = await posternSync(join(home, 'headers'), login, 'headers')
  const best = { raw: least(raw), imapflow: least(imapflow), stored: least(stored), searchable: least(searchable) }
  return { ...best, process, bytes }
}

async function syncHeaders(
  path: string,
  { port, user, password }: Login,
): Promise<{ stored: number; searchable: number }> {
  const args = ['--disable-warning=ExperimentalWarning', SYNCER, String(port), user, password, path]
  const { output } = await runToEnd({ command: process.execPath, args })
  const told: { stored: number; searchable: number; kept: number } = JSON.parse(output)
  strictEqual(told.kept, MESSAGES)
  return told
}

async function imapflowFetch({ port, user, password }: Login): Promise<void> {
  const auth = { user, pass: password }
  const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false })
  await client.connect()
  await client.mailboxOpen('INBOX', { readOnly: true })
  const wanted = {
    uid: true,
    flags: true,
    envelope: true,
    bodyStructure: true,
    internalDate: true,
    size: true,
  } as const
  let fetched = 0
  for await (const _message of client.fetch('1:*', wanted)) fetched += 1
  strictEqual(fetched, MESSAGES)
  client.close()
}

interface Full {
  readonly postern: Runs
  readonly plain: Runs | undefined
  readonly synced: Runs | undefined
  /** The names of the last mirror, and of what mbsync pulled. */
  readonly mirror: string
  readonly pulled: string | undefined
  readonly pulledBytes: number
}

/** Files written without fsync cost what the disk happens to be doing: how far runs lie apart belongs to the figure. */
interface Runs {
  readonly took: number
  readonly spread: string
  readonly peak: number
}

async function fullSync(home: string, login: Login): Promise<Full> {
  const ended = { postern: [] as Ended[], plain: [] as Ended[], synced: [] as Ended[] }
  const withMbsync = hasMbsync()
  for (let round = 0; round < FULL_ROUNDS; round += 1) {
    if (withMbsync) ended.plain.push(await pull(join(home, `plain-${round}`), login, false))
    ended.postern.push(await posternSync(join(home, `full-${round}`), login, 'full'))
  }
  if (withMbsync) ended.synced.push(await pull(join(home, 'synced'), login, true))
  const pulled = withMbsync ? `plain-${FULL_ROUNDS - 1}` : undefined
  return {
    postern: runsOf(ended.postern),
    plain: withMbsync ? runsOf(ended.plain) : undefined,
    synced: withMbsync ? runsOf(ended.synced) : undefined,
    mirror: `full-${FULL_ROUNDS - 1}`,
    pulled,
    pulledBytes: pulled === undefined ? 0 : sizeOf(join(home, pulled)),
  }
}

function runsOf(ended: readonly Ended[]): Runs {
  const took = ended.map((run) => run.took)
  const spread = `${ms(Math.min(...took))} to ${ms(Math.max(...took))}`
  return { took: median(took), spread, peak: Math.max(...ended.map((run) => run.peak)) }
}

async function pull(directory: string, login: Login, fsync: boolean): Promise<Ended> {
  mkdirSync(directory)
  return mbsync(directory, login, fsync).pull()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function section(headers: Headers, full: Full, looks: Looks): Section {
  const { raw, imapflow, stored, searchable, process: process_, bytes } = headers
  const row = (name: string, took: number, beside: number, peak?: number): string[] => [
    ...[name, ms(took), Number.isNaN(beside) ? '' : times(took / beside), count(MESSAGES / (took / 1000))],
    ...[peak === undefined ? '' : megabytes(peak)],
  ]
  const pulled = (name: string, ended: Runs | undefined): string[] =>
    ended === undefined ? [name, 'not installed'] : row(name, ended.took, full.plain?.took ?? Number.NaN, ended.peak)
  return {
    title: `Mirroring ${count(MESSAGES)} messages of Dovecot`,
    note: `Headers: best of ${HEADER_ROUNDS} interleaved rounds, ${megabytes(bytes)} over the wire, connecting included, beside the bare socket. Everything: medians of ${FULL_ROUNDS} interleaved processes from nothing (Postern ${full.postern.spread}${full.plain === undefined ? '' : `, mbsync without fsync ${full.plain.spread}`}), beside mbsync without fsync, which pulls ${megabytes(full.pulledBytes)}; one with. Nothing new: medians, and through a line of ${LINE_MS} ms. Memory is the most that was resident.`,
    head: ['', 'time', 'beside', 'messages a second', 'memory', `over ${LINE_MS} ms`, 'round trips'],
    rows: [
      row('headers: bare socket, read by nobody', raw, raw),
      row('headers: imapflow, fetch', imapflow, raw),
      row('headers: Postern, all stored', stored, raw),
      row('headers: Postern, all searchable', searchable, raw),
      row('headers: postern sync, the whole process', process_.took, raw, process_.peak),
      pulled('everything: mbsync, no fsync', full.plain),
      pulled('everything: mbsync', full.synced),
      pulled('everything: postern sync', full.postern),
      ...(Object.entries(LOOKED) as [Looking, string][]).map(([name, text]) =>
        lookRow(text, looks[name], looks.rawAnew),
      ),
    ],
    goals: [
      { what: 'all headers stored / the bare socket', measured: stored / raw, atMost: 2, write: times },
      { what: 'all headers stored / imapflow’s fetch', measured: stored / imapflow, atMost: 1, write: times },
      { what: 'all headers searchable / imapflow’s fetch', measured: searchable / imapflow, atMost: 1, write: times },
      ...beside('full sync / mbsync without fsync', full.postern.took, full.plain?.took, 1),
      ...lookGoals(looks),
      { what: 'memory, headers', measured: process_.peak, atMost: MOST_MEMORY, write: megabytes },
      { what: 'memory, everything', measured: full.postern.peak, atMost: MOST_MEMORY, write: megabytes },
    ],
  }
}

function lookRow(name: string, look: Look | undefined, floor: Look | undefined): string[] {
  if (look === undefined) return [name, 'not installed']
  const share = times(look.near / (floor?.near ?? Number.NaN))
  return [name, ms(look.near), share, '', '', ms(look.far), count(look.trips)]
}

function lookGoals({ rawHere, rawAnew, rawTls, posternHere, posternAnew, posternTls, mbsync: again }: Looks): Goal[] {
  return [
    ...beside('nothing new, with connecting / the QRESYNC floor', posternAnew?.near, rawAnew?.near, 3),
    ...beside('nothing new, with connecting over TLS / the QRESYNC floor', posternTls?.near, rawTls?.near, 3),
    ...beside('nothing new, connected / the QRESYNC floor', posternHere?.near, rawHere?.near, 3),
    ...beside('nothing new, with connecting / mbsync', posternAnew?.near, again?.near, 1 / 3),
    {
      ...{ what: 'round trips, nothing new', atMost: 2, write: count },
      measured: posternHere?.trips ?? Number.NaN,
    },
  ]
}

/** None where there is nothing to stand beside. */
function beside(what: string, ours: number | undefined, theirs: number | undefined, atMost: number): Goal[] {
  return ours === undefined || theirs === undefined ? [] : [{ what, measured: ours / theirs, atMost, write: times }]
}
