/**
 * `node mirror-policy-loop.ts fill PATH` makes a mirror of made-up messages; `… ask PATH` counts and searches it with and
 * without rules, in turns, and prints as JSON what each took. Processes of their own, so that one can tell their memory.
 *
 * INVARIANT: nothing is timed where rules do not count every message once.
 */

import { strictEqual } from 'node:assert'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '../src/adapters/clock/system-clock.ts'
import { keepHeapSmall } from '../src/adapters/heap/small-heap.ts'
import { fileLocks } from '../src/adapters/lock/file-locks.ts'
import { createMirrorStore } from '../src/adapters/mirror/store.ts'
import { databaseFiles } from '../src/adapters/sqlite/database-files.ts'
import type { FolderDefinition } from '../src/core/policy/folder.ts'
import type { Query } from '../src/core/query/query.ts'
import { piecesOf } from '../src/core/query/words.ts'
import type { Delta } from '../src/ports/mirror-store.ts'
import { median } from './figures.ts'
import { AUTHSERV, addressOf, COMMON, mixedRules, NOW, RARE, ROWS, rowsBelow } from './mirror-rows.ts'

const FILL_BATCH = 1500
/** As a sync does it. */
const INDEX_BATCH = 500
const ROUNDS = 21
const PAGE = 20
const INBOX = 'INBOX'

const [work = '', path = ''] = process.argv.slice(2)
const store = createMirrorStore({ path, clock: systemClock, locks: fileLocks, databases: databaseFiles })

async function fill(): Promise<object> {
  // As every process does that syncs, and like it gives way between batches, when the server would be heard.
  keepHeapSmall()
  await store.lease()
  await store.remake(INBOX, { uidvalidity: 1, uidNext: ROWS + 1, messages: ROWS })
  const filled = await timed(async () => {
    for (let uid = ROWS; uid > 0; uid -= FILL_BATCH) {
      await store.fill(INBOX, [...rowsBelow(uid, FILL_BATCH)], Math.max(1, uid - FILL_BATCH + 1))
      await nextTurn()
    }
  })
  const indexed = await timed(async () => {
    for (;;) {
      const some = await store.unread(INBOX, INDEX_BATCH)
      if (some.length === 0) break
      const texts = some.map(({ uid }) => ({ uid, body: '', attachments: [], snippet: '' }))
      await store.index(INBOX, texts, 'headers', AUTHSERV)
      await nextTurn()
    }
    await store.tidy()
  })
  return { filled, indexed }
}

type Rules = FolderDefinition | undefined

async function ask(): Promise<object> {
  const works: Readonly<Record<string, (rules: Rules) => Promise<unknown>>> = {
    folder_stats: (rules) => store.countLevels(INBOX, rules ?? OPEN, later()),
    'search: all': search({ kind: 'all' }),
    'search: a word in 1 of 15': search(words('any', COMMON)),
    'search: a word in 1 of 1,000': search(words('any', RARE)),
    'search: sender': search(words('from', addressOf(123))),
    'search: unread': search({ kind: 'not', of: { kind: 'flag', flag: '\\Seen' } }),
  }
  const sides = { none: undefined, blacklist: mixedRules('blacklist'), whitelist: mixedRules('whitelist') }
  const first = { blacklist: await firstCount(sides.blacklist), whitelist: await firstCount(sides.whitelist) }
  const medians: Record<string, Record<'arrived' | 'removed' | 'again', Medians>> = {}
  await store.lease()
  for (const [name, run] of Object.entries(works)) {
    medians[name] = {
      arrived: await inTurns(sides, run, arrive),
      removed: await inTurns(sides, run, remove),
      again: await inTurns(sides, run),
    }
  }
  return { first, medians }
}

type Medians = Record<string, number>

/** A second passes between any two questions. */
let asked = 0
function later(): number {
  asked += 1
  return NOW + asked
}

/** One more message, after which counts are carried on. */
let newest = ROWS
async function arrive(): Promise<void> {
  newest += 1
  await change({ gone: [], arrived: [...rowsBelow(newest, 1)] })
  await store.index(INBOX, [{ uid: newest, body: '', attachments: [], snippet: '' }], 'headers', AUTHSERV)
}

/** One message less, after which everything is counted anew. */
let oldest = 0
function remove(): Promise<void> {
  oldest += 1
  return change({ gone: [oldest], arrived: [] })
}

function change(what: Pick<Delta, 'gone' | 'arrived'>): Promise<void> {
  return store.apply(INBOX, {
    ...what,
    flags: [],
    state: { uidvalidity: 1, uidNext: newest + 1, messages: newest - oldest },
  })
}

const OPEN: FolderDefinition = { path: INBOX, mode: 'blacklist', default: 'FULL', capabilities: [], rules: [] }

/** What rules make of messages is worked out when they are first asked for. */
async function firstCount(rules: FolderDefinition): Promise<number> {
  let total = 0
  const took = await timed(async () => {
    for (const many of (await store.countLevels(INBOX, rules, NOW)).values()) total += many
  })
  strictEqual(total, ROWS)
  return took
}

async function inTurns(
  sides: Readonly<Record<string, Rules>>,
  run: (rules: Rules) => Promise<unknown>,
  before?: () => Promise<void>,
): Promise<Medians> {
  const samples = Object.entries(sides).map(([side, rules]) => ({ side, rules, took: [] as number[] }))
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const { rules, took } of samples) {
      await before?.()
      const sample = await timed(() => run(rules))
      if (round >= 0) took.push(sample)
    }
  }
  return Object.fromEntries(samples.map(({ side, took }) => [side, median(took)]))
}

function search(query: Query): (rules: Rules) => Promise<unknown> {
  const wanted = { criteria: {}, query, match: {}, needed: 'METADATA', take: PAGE } as const
  return (rules) =>
    store.sift([INBOX], {
      ...wanted,
      nowSeconds: later(),
      rules: new Map(rules === undefined ? [] : [[INBOX, rules]]),
    })
}

function words(field: 'any' | 'from', text: string): Query {
  return { kind: 'words', field, pieces: piecesOf(text), open: false }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}

const before = process.memoryUsage.rss()
const told = work === 'fill' ? await fill() : await ask()
await store.close()
process.stdout.write(JSON.stringify({ ...told, before }))
