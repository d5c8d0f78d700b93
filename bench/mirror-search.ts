/**
 * Searching a large mailbox: building what is searched beside mbsync and notmuch, then the 20 newest of each question and
 * the count of all, from the mirror's store, from notmuch in process, and by SEARCH of the server.
 *
 * INVARIANT: all are asked about the same messages; where they do not find equally many, the row says how many each found.
 */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../src/adapters/clock/system-clock.ts'
import { fileLocks } from '../src/adapters/lock/file-locks.ts'
import { createMirrorStore } from '../src/adapters/mirror/store.ts'
import { databaseFiles } from '../src/adapters/sqlite/database-files.ts'
import type { Mailbox } from '../src/core/message.ts'
import type { Query } from '../src/core/query/query.ts'
import type { MirrorStore, Sifted } from '../src/ports/mirror-store.ts'
import { count, median, megabytes, ms, times } from './figures.ts'
import { hasMbsync, mbsync } from './mbsync.ts'
import { MESSAGES } from './mirror-mail.ts'
import { type Question, questions } from './mirror-queries.ts'
import { rawSession, withMailServer } from './mirror-server.ts'
import { hasNotmuch, type NotmuchAnswer, notmuch } from './notmuch.ts'
import { mirrorIn, posternSync } from './postern-sync.ts'
import { type Ended, sizeOf } from './processes.ts'
import type { RawImap } from './raw-imap.ts'
import type { Goal, Section } from './report.ts'
import { inTemporaryFolder, type Login } from './servers.ts'

const ROUNDS = 51
const IMAP_ROUNDS = 5
const PAGE = 20
const MISSING = 'not installed'

export async function mirrorSearch(): Promise<Section> {
  return inTemporaryFolder((home) =>
    withMailServer(async (login) => {
      const built = await build(home, login)
      const asked = questions()
      const mirror = await askMirror(join(home, 'postern'), asked)
      const raw = await rawSession(login)
      try {
        return section(built, asked, mirror, built.ask?.(notmuchQueries(asked)), await askImap(raw, asked))
      } finally {
        raw.close()
      }
    }),
  )
}

interface Built {
  readonly postern: Ended & { readonly bytes: number }
  readonly pull: (Ended & { readonly bytes: number }) | undefined
  readonly index: (Ended & { readonly bytes: number }) | undefined
  readonly ask: ((queries: Readonly<Record<string, string>>) => NotmuchAnswers | undefined) | undefined
}

type NotmuchAnswers = Readonly<Record<string, NotmuchAnswer>>

async function build(home: string, login: Login): Promise<Built> {
  const ended = await posternSync(join(home, 'postern'), login, 'full')
  const postern = { ...ended, bytes: statSync(mirrorIn(join(home, 'postern'))).size }
  if (!hasMbsync()) return { postern, pull: undefined, index: undefined, ask: undefined }
  const puller = mbsync(join(home, 'mbsync'), login, false)
  const pulled = await puller.pull()
  const pull = { ...pulled, bytes: sizeOf(puller.maildir) }
  if (!hasNotmuch()) return { postern, pull, index: undefined, ask: undefined }
  const indexer = notmuch(join(home, 'notmuch'), puller.maildir)
  const indexed = await indexer.index()
  return {
    ...{ postern, pull, index: { ...indexed, bytes: indexer.bytes() } },
    ask: (queries) => indexer.ask(queries, ROUNDS),
  }
}

function notmuchQueries(asked: Readonly<Record<string, Question>>): Record<string, string> {
  return Object.fromEntries(Object.entries(asked).map(([name, question]) => [name, question.notmuch]))
}

const INBOX: Mailbox = { name: 'INBOX', delimiter: '/', role: undefined, selectable: true, attributes: [] }

interface MirrorAnswer {
  /** Right after something was written: what is found is looked up anew, its count is carried on; and again, without a write. */
  readonly newest: number
  readonly again: number
  /** Right after a message was removed, when all is counted anew: the newest with the count, and the count alone. */
  readonly anew: number
  readonly count: number
  readonly found: number
}

async function askMirror(home: string, asked: Readonly<Record<string, Question>>): Promise<Map<string, MirrorAnswer>> {
  const store = createMirrorStore({
    path: mirrorIn(home),
    clock: systemClock,
    locks: fileLocks,
    databases: databaseFiles,
  })
  try {
    const answers = new Map<string, MirrorAnswer>()
    await store.lease()
    // What is there already is not written.
    let listed: readonly Mailbox[] = await store.mailboxes()
    const write = (): Promise<void> => {
      listed = listed.length === 0 ? [INBOX] : []
      return store.noteMailboxes(listed)
    }
    const oldestFirst = (await store.uids('INBOX')).values()
    const remove = async (): Promise<void> => {
      const { state } = (await store.folder('INBOX')) ?? failed()
      await store.apply('INBOX', { state, flags: [], gone: [oldestFirst.next().value ?? failed()], arrived: [] })
    }
    for (const [name, { mirror }] of Object.entries(asked)) {
      const found = (await sift(store, mirror, 0)).matched
      const newest = await timed(ROUNDS, () => sift(store, mirror, PAGE), write)
      const again = await timed(ROUNDS, () => sift(store, mirror, PAGE))
      answers.set(name, { newest, again, anew: Number.NaN, count: Number.NaN, found })
    }
    for (const [name, { mirror }] of Object.entries(asked)) {
      const known = answers.get(name) ?? NO_ANSWER
      const anew = await timed(ROUNDS, () => sift(store, mirror, PAGE), remove)
      answers.set(name, { ...known, anew, count: await timed(ROUNDS, () => sift(store, mirror, 0), remove) })
    }
    return answers
  } finally {
    await store.close()
  }
}

function failed(): never {
  throw new Error('the mirror is empty')
}

/** Gives the newest, and counts all that match. */
function sift(store: MirrorStore, query: Query, take: number): Promise<Sifted> {
  const nowSeconds = Math.floor(Date.now() / 1000)
  return store.sift(['INBOX'], {
    criteria: {},
    query,
    match: {},
    rules: new Map(),
    nowSeconds,
    needed: 'METADATA',
    take,
  })
}

interface ImapAnswer {
  readonly took: number
  readonly found: number
}

async function askImap(raw: RawImap, asked: Readonly<Record<string, Question>>): Promise<Map<string, ImapAnswer>> {
  await raw.command('EXAMINE INBOX')
  const answers = new Map<string, ImapAnswer>()
  for (const [name, { imap, opensAll }] of Object.entries(asked)) {
    if (imap === undefined) continue
    const took = await timed(opensAll ? 1 : IMAP_ROUNDS, () => raw.command(`UID SEARCH CHARSET UTF-8 ${imap}`))
    const { start } = await raw.command(`UID SEARCH RETURN (COUNT) CHARSET UTF-8 ${imap}`)
    answers.set(name, { took, found: Number(/ COUNT (\d+)/.exec(start)?.[1] ?? Number.NaN) })
  }
  return answers
}

/** What takes long is not done twice before. */
async function timed(rounds: number, work: () => Promise<unknown>, before?: () => Promise<void>): Promise<number> {
  const samples: number[] = []
  for (let round = rounds === 1 ? 0 : -2; round < rounds; round += 1) {
    await before?.()
    const began = performance.now()
    await work()
    if (round >= 0) samples.push(performance.now() - began)
  }
  return median(samples)
}

function section(
  built: Built,
  asked: Readonly<Record<string, Question>>,
  mirror: ReadonlyMap<string, MirrorAnswer>,
  theirs: NotmuchAnswers | undefined,
  imap: ReadonlyMap<string, ImapAnswer>,
): Section {
  const names = Object.keys(asked)
  return {
    title: `Searching ${count(MESSAGES)} messages`,
    note: `Built: ${buildText(built)}. Asked: medians of ${ROUNDS} (SEARCH that opens every message: once) of the ${PAGE} newest through the store, which also says how many match: right after a write, when they are looked up anew and the count is carried on; asked again, while nobody has written; and right after a message was removed, when all is counted anew, with them and alone. notmuch in process gives the ${PAGE} newest or counts. Found: by the mirror / notmuch / SEARCH where they differ.`,
    head: [
      '',
      'found',
      'newest',
      'again',
      'counted anew',
      'count alone',
      'notmuch',
      'its count',
      'newest / its',
      'SEARCH',
    ],
    rows: names.map((name) => {
      const [ours, other, server] = [mirror.get(name), theirs?.[name], imap.get(name)]
      return [
        ...[name, foundText(ours?.found, other?.found, server?.found)],
        ...(ours === undefined ? ['', '', '', ''] : [ours.newest, ours.again, ours.anew, ours.count].map(ms)),
        ...(other === undefined ? [MISSING, MISSING] : [ms(other.newest), ms(other.count)]),
        ours === undefined || other === undefined ? '' : times(ours.newest / other.newest),
        server === undefined ? '–' : ms(server.took),
      ]
    }),
    goals: [...buildGoals(built), ...askGoals(names, mirror, theirs)],
  }
}

function foundText(...found: readonly (number | undefined)[]): string {
  const texts = found.filter((many) => many !== undefined).map(count)
  return new Set(texts).size === 1 ? (texts[0] ?? '') : texts.join(' / ')
}

function buildText({ postern, pull, index }: Built): string {
  const told = (name: string, work: Built['pull']): string =>
    work === undefined
      ? `${name} ${MISSING}`
      : `${name} ${ms(work.took)}, ${megabytes(work.bytes)}, memory ${megabytes(work.peak)}`
  return [told('postern sync', postern), told('mbsync', pull), told('notmuch new', index)].join('; ')
}

function buildGoals({ postern, pull, index }: Built): Goal[] {
  if (pull === undefined || index === undefined) return []
  const together = pull.took + index.took
  return [
    { what: 'pull and index / mbsync, then notmuch', measured: postern.took / together, atMost: 0.1, write: times },
    { what: 'size of the mirror / notmuch’s', measured: postern.bytes / index.bytes, atMost: 1 / 3, write: times },
  ]
}

const UNKNOWN = Number.NaN
const NO_ANSWER: MirrorAnswer = { newest: UNKNOWN, again: UNKNOWN, anew: UNKNOWN, count: UNKNOWN, found: 0 }

/** The worst of all questions stands for them. A prefix need not be quicker than notmuch's, only not slower. */
function askGoals(
  names: readonly string[],
  mirror: ReadonlyMap<string, MirrorAnswer>,
  theirs?: NotmuchAnswers,
): Goal[] {
  const worst = (what: string, of: (name: string) => number, atMost: number, write: Goal['write']): Goal => {
    const [name = ''] = names.filter((one) => !Number.isNaN(of(one))).toSorted((a, b) => of(b) - of(a))
    return { what: `${what}, at worst (${name})`, measured: of(name), atMost, write }
  }
  const ours = (name: string): MirrorAnswer => mirror.get(name) ?? NO_ANSWER
  const unlessPrefix = (name: string, measured: number): number => (name === 'prefix' ? UNKNOWN : measured)
  const slowest = [
    worst(`the ${PAGE} newest through the store`, (name) => unlessPrefix(name, ours(name).newest), 1, ms),
    worst(`the ${PAGE} newest and a count of all anew`, (name) => unlessPrefix(name, ours(name).anew), 1, ms),
  ]
  if (theirs === undefined) return slowest
  const share = (name: string, of: 'newest' | 'count'): number => ours(name)[of] / (theirs[name]?.[of] ?? Number.NaN)
  return [
    ...slowest,
    worst(`the ${PAGE} newest / notmuch’s`, (name) => unlessPrefix(name, share(name, 'newest')), 1 / 20, times),
    { what: 'a prefix / notmuch’s', measured: share('prefix', 'newest'), atMost: 1, write: times },
    worst('a count of all / notmuch’s', (name) => share(name, 'count'), 1, times),
  ]
}
