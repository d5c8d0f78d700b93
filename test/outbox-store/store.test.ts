import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { createReadNotes } from '../../src/adapters/outbox/read-notes.ts'
import { toFields, toState } from '../../src/adapters/outbox/rows.ts'
import { OUTBOX_FILE } from '../../src/adapters/outbox/schema.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { EntryEvent } from '../../src/core/outbox/machine.ts'
import type { OutboxStore } from '../../src/ports/outbox-store.ts'
import { approvalAt, bytesOf, DAY, HOUR, NOW, newEntry } from './letters.ts'
import { approved, MANY_PENDING, newPath, openStore, queued } from './scene.ts'

const LIMIT = { most: 3, lengthMs: HOUR }
const DELIVER = { kind: 'deliver', at: NOW, refused: [], filed: true } as const
const person = (address: string) => ({ name: '', address })

async function claimed(store: OutboxStore, entry = newEntry(), at = NOW): Promise<string> {
  const { id } = await approved(store, entry)
  expect(await store.claim(id, at, { most: 1000, lengthMs: HOUR })).toMatchObject({ kind: 'claimed' })
  return id
}

describe('a letter', () => {
  test('is kept with its bytes as it was, for whoever opens the file next', async () => {
    const path = newPath()
    const first = openStore(path)
    const thread = { id: '0018', inReplyTo: undefined, references: ['<a@b>'] }
    const letters = [
      newEntry({ subject: 'a\0b\u2028\ud800' }),
      newEntry({ kind: 'reply', thread, html: '<b>x</b>', bcc: [{ name: 'Ä "x"', address: 'b@example.org' }] }),
    ]
    for (const letter of letters) expect(await queued(first, letter)).toEqual(letter)
    await first.close()
    const store = openStore(path)
    for (const letter of letters) {
      expect(await store.get(letter.id)).toEqual(letter)
      expect(Buffer.from(await store.bytes(letter.id))).toEqual(bytesOf(letter.id))
    }
    expect(await store.get('unknown')).toBeUndefined()
  })

  test('that is asked for again is the same, until it is over', async () => {
    const store = openStore()
    const letter = newEntry()
    const again = (created = NOW) =>
      queued(store, { ...letter, id: crypto.randomUUID(), created, expires: created + DAY })
    await queued(store, letter)
    expect(await again()).toEqual(letter)
    expect(await store.find(letter.digest, NOW)).toEqual(letter)
    for (const event of [{ kind: 'approve', approval: approvalAt() }] as const) await store.record(letter.id, event)
    expect((await again()).id).toBe(letter.id)
    await store.claim(letter.id, NOW, LIMIT)
    expect((await again(NOW + 2 * DAY)).id).toBe(letter.id)
    await store.record(letter.id, { kind: 'lose', at: NOW })
    expect((await again(NOW + 40 * DAY)).id).toBe(letter.id)
    await store.record(letter.id, { kind: 'settle', at: NOW, wasSent: true })
    // What was sent is not asked for again within a day.
    expect(await store.find(letter.digest, NOW + DAY - 1)).toMatchObject({ id: letter.id })
    expect((await again(NOW + DAY - 1)).id).toBe(letter.id)
    expect(await store.find(letter.digest, NOW + DAY)).toBeUndefined()
    expect((await again(NOW + DAY)).id).not.toBe(letter.id)
  })

  test('that came to nothing is named when it is asked for again', async () => {
    const store = openStore()
    const letter = await queued(store)
    const later = { ...letter, id: crypto.randomUUID(), created: NOW + DAY, expires: NOW + 2 * DAY }
    expect(await store.queue(later, bytesOf(later.id), MANY_PENDING)).toMatchObject({
      kind: 'queued',
      entry: { id: later.id },
      earlier: { id: letter.id, state: { kind: 'expired' } },
    })
  })

  test('beyond the limit of its caller is not kept, whichever account it is of and however many ask at once', async () => {
    const path = newPath()
    const stores = [openStore(path), openStore(path)]
    const letter = (at: number, more: object = {}) =>
      newEntry({ subject: `letter ${at}`, account: `a${at % 3}`, ...more })
    const ask = (at: number, limit = { messages: 5, bytes: 1000 }, size = 10, more = {}) =>
      stores[at % 2]?.queue(letter(at, more), new Uint8Array(size), limit)
    const kinds = await Promise.all(Array.from({ length: 20 }, async (_, at) => (await ask(at))?.kind))
    expect(kinds.filter((kind) => kind === 'queued')).toHaveLength(5)
    expect(kinds.filter((kind) => kind === 'full')).toHaveLength(15)
    expect(await ask(30)).toEqual({ kind: 'full', held: { messages: 5, bytes: 50 } })
    expect(await ask(31, { messages: 9, bytes: 60 })).toMatchObject({ kind: 'queued' })
    expect(await ask(32, { messages: 9, bytes: 69 })).toEqual({ kind: 'full', held: { messages: 6, bytes: 60 } })
    // Another caller has its own, and one alone may be as large as it is.
    expect(await ask(33, { messages: 1, bytes: 60 }, 100, { caller: 'other' })).toMatchObject({ kind: 'queued' })
    // What is approved waits still; what is rejected or over does not.
    const [store] = stores
    const [one, two] =
      (await store?.list({ kinds: ['waiting'], most: 9 }))?.filter(({ sending }) => sending.caller === 'local') ?? []
    await store?.record(one?.id ?? '', { kind: 'approve', approval: approvalAt() })
    expect(await store?.held('local', NOW)).toEqual({ messages: 6, bytes: 60 })
    await store?.record(two?.id ?? '', { kind: 'reject', by: 'anna', at: NOW, reason: undefined })
    expect(await store?.held('local', NOW)).toEqual({ messages: 5, bytes: 50 })
    expect(await store?.held('local', NOW + DAY)).toEqual({ messages: 0, bytes: 0 })
  })

  test('that has to wait for its turn counts towards the limit', async () => {
    const store = openStore()
    const dispatch = (letter = newEntry()) =>
      store.dispatch(letter, bytesOf(letter.id), approvalAt(), { most: 1, lengthMs: DAY }, { messages: 1, bytes: 1000 })
    expect(await dispatch()).toMatchObject({ kind: 'claimed' })
    expect(await dispatch()).toMatchObject({ kind: 'limited' })
    expect(await dispatch()).toMatchObject({ kind: 'full', held: { messages: 1 } })
  })

  test('that waited or was approved for too long is expired when it is asked for again, and a new one begins', async () => {
    const store = openStore()
    for (const old of [await queued(store), await approved(store)]) {
      const later = { ...old, id: crypto.randomUUID(), created: NOW + DAY, expires: NOW + 2 * DAY }
      expect(await store.find(old.digest, NOW + DAY)).toBeUndefined()
      expect(await queued(store, later)).toMatchObject({ id: later.id, state: { kind: 'waiting' } })
      expect(await store.get(old.id)).toMatchObject({ state: { kind: 'expired', at: NOW + DAY } })
    }
  })

  test('that is queued waits, whatever it says of itself', async () => {
    const store = openStore()
    const letter = newEntry()
    const { state } = await queued(store, { ...letter, state: { kind: 'approved', approval: approvalAt() } })
    expect(state).toEqual({ kind: 'waiting' })
  })

  test('changes as the machine says or not at all', async () => {
    const store = openStore()
    const { id } = await queued(store)
    await expect(store.record(id, DELIVER)).rejects.toMatchObject({ code: 'conflict' })
    await expect(store.record('unknown', DELIVER)).rejects.toMatchObject({ code: 'not_found' })
    await expect(store.claim('unknown', NOW, LIMIT)).rejects.toMatchObject({ code: 'not_found' })
    expect(await store.get(id)).toMatchObject({ state: { kind: 'waiting' } })
  })

  test('at the same time as one that cannot change is changed all the same', async () => {
    const store = openStore()
    const letters = await Promise.all(Array.from({ length: 20 }, () => queued(store)))
    const approve = { kind: 'approve', approval: approvalAt() } as const
    const endings = await Promise.allSettled(
      [...letters, ...letters.slice(0, 5)].map(({ id }) => store.record(id, approve)),
    )
    expect(endings.filter(({ status }) => status === 'rejected')).toHaveLength(5)
    expect(await store.list({ kinds: ['approved'], most: 100 })).toHaveLength(20)
  })

  test('is listed newest first, by kind', async () => {
    const store = openStore()
    const [a, b, c] = [newEntry({}, NOW + 2), newEntry({}, NOW + 1), newEntry({}, NOW + 3)]
    for (const letter of [a, b]) await queued(store, letter)
    await approved(store, c)
    const ids = async (asked: Parameters<OutboxStore['list']>[0]) => (await store.list(asked)).map(({ id }) => id)
    expect(await ids({ most: 10 })).toEqual([c.id, a.id, b.id])
    expect(await ids({ most: 1 })).toEqual([c.id])
    expect(await ids({ kinds: ['waiting', 'sent'], most: 10 })).toEqual([a.id, b.id])
    expect(await ids({ kinds: [], most: 10 })).toEqual([])
  })

  test('keeps its message while it may be sent or filed, and no longer', async () => {
    const store = openStore()
    const has = (id: string): Promise<boolean> =>
      store.bytes(id).then(
        () => true,
        () => false,
      )
    const keepsAfter = async (...events: readonly Exclude<EntryEvent, { kind: 'claim' }>[]): Promise<boolean> => {
      const id = await claimed(store)
      for (const event of events) await store.record(id, event)
      return has(id)
    }
    const lose = { kind: 'lose', at: NOW } as const
    expect(await keepsAfter()).toBe(true)
    expect(await keepsAfter(lose)).toBe(true)
    expect(await keepsAfter({ kind: 'give_back', reason: 'x' })).toBe(true)
    expect(await keepsAfter({ ...DELIVER, filed: false })).toBe(true)
    expect(await keepsAfter({ ...DELIVER, filed: false }, { kind: 'file' })).toBe(false)
    expect(await keepsAfter(DELIVER)).toBe(false)
    expect(await keepsAfter({ kind: 'fail', at: NOW, reason: 'x' })).toBe(false)
    expect(await keepsAfter(lose, { kind: 'settle', at: NOW, wasSent: false })).toBe(false)
    await expect(store.bytes('unknown')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('expires when its time is over, once', async () => {
    const store = openStore()
    const [waiting, other] = [await queued(store), await approved(store)]
    const sent = await claimed(store)
    await store.record(other.id, { kind: 'withdraw' })
    await store.record(other.id, { kind: 'approve', approval: approvalAt(NOW + HOUR) })
    expect(await store.expire(NOW + DAY - 1)).toEqual([])
    expect((await store.expire(NOW + DAY)).map(({ id }) => id)).toEqual([waiting.id])
    expect((await store.expire(NOW + DAY + HOUR)).map(({ id }) => id)).toEqual([other.id])
    expect(await store.expire(NOW + 10 * DAY)).toEqual([])
    expect(await store.get(sent)).toMatchObject({ state: { kind: 'claimed' } })
  })

  test('that is over is forgotten after 30 days, one that is open never', async () => {
    const path = newPath()
    const store = openStore(path)
    const done = await claimed(store)
    await store.record(done, DELIVER)
    const [stuck, waiting] = [await claimed(store), await queued(store)]
    await store.record(stuck, { kind: 'lose', at: NOW })
    await store.close()
    expect(await openStore(path, NOW + 30 * DAY).get(done)).toBeDefined()
    const later = openStore(path, NOW + 32 * DAY)
    expect(await later.list({ most: 10 })).toMatchObject([{ id: stuck }])
    expect(await later.get(waiting.id)).toBeUndefined()
    expect(await later.writtenTo('work', ['ada@example.org'])).toEqual(new Set(['ada@example.org']))
    expect(Buffer.from(await later.bytes(stuck))).toEqual(bytesOf(stuck))
  })
})

describe('the limit', () => {
  test('tells exactly how long there is no room', async () => {
    const store = openStore()
    for (const at of [NOW, NOW + 10, NOW + 20]) await claimed(store, newEntry(), at)
    const { id } = await approved(store)
    expect(await store.claim(id, NOW + 25, LIMIT)).toEqual({ kind: 'limited', waitMs: HOUR - 25 })
    expect(await store.claim(id, NOW + 25, { ...LIMIT, most: 1 })).toEqual({ kind: 'limited', waitMs: HOUR - 5 })
    expect(await store.claim(id, NOW + 25, { ...LIMIT, most: 0 })).toEqual({ kind: 'limited', waitMs: HOUR })
    expect(await store.claim(id, NOW + HOUR - 1, LIMIT)).toEqual({ kind: 'limited', waitMs: 1 })
    expect(await store.claim(id, NOW + HOUR, LIMIT)).toMatchObject({ kind: 'claimed' })
  })

  test('is each account’s own', async () => {
    const store = openStore()
    for (let count = 0; count < 3; count += 1) await claimed(store)
    const { id } = await approved(store, newEntry({ account: 'home' }))
    expect(await store.claim(id, NOW, LIMIT)).toMatchObject({ kind: 'claimed' })
  })

  test('counts what did not go out no longer, and what may have gone out still', async () => {
    const endings: readonly [readonly Exclude<EntryEvent, { kind: 'claim' }>[], string][] = [
      [[{ kind: 'give_back', reason: 'x' }], 'claimed'],
      [[{ kind: 'step_back' }], 'claimed'],
      [[{ kind: 'fail', at: NOW, reason: 'x' }], 'claimed'],
      [
        [
          { kind: 'lose', at: NOW },
          { kind: 'settle', at: NOW, wasSent: false },
        ],
        'claimed',
      ],
      [
        [
          { kind: 'lose', at: NOW },
          { kind: 'settle', at: NOW, wasSent: true },
        ],
        'limited',
      ],
      [[{ kind: 'lose', at: NOW }], 'limited'],
      [[DELIVER], 'limited'],
      [[], 'limited'],
    ]
    for (const [events, kind] of endings) {
      const store = openStore()
      const id = await claimed(store)
      for (const event of events) await store.record(id, event)
      const next = await approved(store)
      expect([events, await store.claim(next.id, NOW, { ...LIMIT, most: 1 })]).toMatchObject([events, { kind }])
    }
  })

  test('holds when the clock is set back', async () => {
    const store = openStore()
    for (let count = 0; count < 3; count += 1) await claimed(store)
    const earlier = NOW - 5 * HOUR
    const { id } = await approved(store, newEntry({}, earlier))
    expect(await store.claim(id, earlier, LIMIT)).toEqual({ kind: 'limited', waitMs: 6 * HOUR })
    expect(await store.claim(id, NOW + 1, LIMIT)).toMatchObject({ kind: 'limited' })
  })

  test('does not matter to a letter that is not approved, or no longer', async () => {
    const store = openStore()
    const [waiting, late] = [await queued(store), await approved(store)]
    expect(await store.claim(waiting.id, NOW, LIMIT)).toEqual({ kind: 'gone', entry: waiting })
    const gone = await store.claim(late.id, NOW + DAY, LIMIT)
    expect(gone).toMatchObject({ kind: 'gone', entry: { state: { kind: 'expired' } } })
    expect(await store.get(late.id)).toEqual('entry' in gone && gone.entry)
  })
})

describe('whom an account has written to', () => {
  test('is known by address, of those that it was taken for', async () => {
    const store = openStore()
    const to = [person('Ada@Example.ORG'), person('bob@example.org')]
    const id = await claimed(store, newEntry({ to, bcc: [person('eve@example.org')] }))
    const asked = ['Ada@example.org', 'ada@example.org', 'bob@EXAMPLE.org', 'eve@example.org', 'new@example.org']
    expect(await store.writtenTo('work', asked)).toEqual(new Set())
    await store.record(id, { ...DELIVER, refused: ['BOB@example.org', 'bob@Example.org'] })
    expect(await store.writtenTo('work', asked)).toEqual(new Set(['Ada@example.org', 'eve@example.org']))
    expect(await store.writtenTo('home', asked)).toEqual(new Set())
    const lost = await claimed(store, newEntry({ to: [person('new@example.org')] }))
    await store.record(lost, { kind: 'lose', at: NOW })
    await store.record(lost, { kind: 'settle', at: NOW, wasSent: true })
    expect(await store.writtenTo('work', ['new@example.org'])).toEqual(new Set(['new@example.org']))
  })

  test('is forgotten with the account, and so is what is over', async () => {
    const store = openStore()
    const sent = await claimed(store)
    await store.record(sent, DELIVER)
    const { id } = await queued(store)
    await store.forget('home')
    expect(await store.list({ most: 10 })).toHaveLength(2)
    await store.forget('work')
    expect(await store.list({ most: 10 })).toMatchObject([{ id }])
    expect(await store.writtenTo('work', ['ada@example.org'])).toEqual(new Set())
  })
})

describe('the file', () => {
  test('is its owner’s alone, and made only when it is needed', async () => {
    const path = newPath()
    const store = openStore(path)
    expect(readdirSync(dirname(dirname(path)))).toEqual([])
    await claimed(store)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(dirname(path))) {
      expect([name, statSync(`${dirname(path)}/${name}`).mode & 0o777]).toEqual([name, 0o600])
    }
  })

  const broken: readonly [string, (path: string) => void, RegExp][] = [
    ['damaged', (path) => writeFileSync(path, 'x'.repeat(5000)), /outbox.db .* is damaged; move it away/],
    ['of a newer version', (path) => pragma(path, 'user_version = 99'), /newer version of Postern; upgrade/],
    ['of another program', (path) => pragma(path, 'application_id = 7'), /another program; move it away/],
    ['not a file', (path) => mkdirSync(path), /is not a file/],
  ]
  test.each(broken)('that is %s is refused, with what to do', async (_, spoil, message) => {
    const path = newPath()
    if (message.source.includes('program') || message.source.includes('newer')) {
      const store = openStore(path)
      await queued(store)
      await store.close()
    } else mkdirSync(dirname(path), { recursive: true })
    spoil(path)
    const before = statSync(path).isFile() ? readFileSync(path) : undefined
    const told = { code: 'unavailable', stage: 'outbox', message }
    await expect(queued(openStore(path))).rejects.toMatchObject(told)
    await expect(openStore(path).list({ most: 1 })).rejects.toMatchObject(told)
    if (before !== undefined) expect(readFileSync(path)).toEqual(before)
  })

  test('of an older version is brought up with its letters', async () => {
    const path = newPath()
    const old = databaseFiles.file(path, { ...OUTBOX_FILE, scripts: OUTBOX_FILE.scripts.slice(0, 1) })
    const letter = newEntry()
    const version = newEntry({ version: { of: letter.id, by: 'anna', how: 'plain_text' } })
    const { sending } = letter
    await old.commit(() => {
      for (const [number, entry] of [letter, version].entries()) {
        const { id, digest, created, state, expires } = entry
        const columns = { number, id, digest, created, account: sending.account, ...toState(state, expires) }
        old
          .prepare<[typeof columns]>(
            `insert into entry (number, id, digest, account, kind, state, created, over_at, ended_at)
             values (@number, @id, @digest, @account, @kind, @state, @created, @over_at, @ended_at)`,
          )
          .run(columns)
        old.prepare<[number, string]>('insert into letter (number, fields) values (?, ?)').run(number, toFields(entry))
        old.prepare<[number, Uint8Array]>('insert into message (number, bytes) values (?, ?)').run(number, bytesOf(id))
      }
    })
    old.close()
    expect(pragma(path, 'user_version')).toEqual([{ user_version: 1 }])
    const store = openStore(path)
    expect(await store.list({ most: 10 })).toEqual([version, letter])
    expect(await store.list({ kinds: ['waiting'], most: 10 })).toEqual([version, letter])
    // Whose it is is known as well, and that versions count towards no limit.
    expect(await store.held(sending.caller, NOW)).toEqual({ messages: 1, bytes: bytesOf(letter.id).length })
    expect(await store.unsent(sending.caller, sending.account, NOW)).toEqual([version, letter])
    await store.close()
    expect(pragma(path, 'user_version')).toEqual([{ user_version: OUTBOX_FILE.scripts.length }])
  })

  test('that may not be written, or is closed, is told so', async ({ skip }) => {
    const store = openStore()
    await store.close()
    await expect(queued(store)).rejects.toMatchObject({ code: 'unavailable', message: /closed/ })
    await expect(store.get('x')).rejects.toMatchObject({ code: 'unavailable', message: /closed/ })
    if (process.getuid?.() === 0) return skip('root may write everywhere')
    const path = newPath()
    mkdirSync(dirname(path), { recursive: true })
    chmodSync(dirname(path), 0o500)
    await expect(queued(openStore(path))).rejects.toMatchObject({ code: 'unavailable', message: /may not be written/ })
  })

  test('that another process writes is waited for', async () => {
    const path = newPath()
    const store = openStore(path)
    await queued(store)
    const other = new Sqlite(path)
    other.exec('begin immediate')
    const waiting = queued(store)
    setTimeout(() => other.exec('commit'), 300)
    expect((await waiting).state.kind).toBe('waiting')
    other.close()
  })
})

function pragma(path: string, text: string): unknown {
  const db = new Sqlite(path)
  const answer = db.pragma(text)
  db.pragma('wal_checkpoint(truncate)')
  db.close()
  return answer
}

describe('notes of what was read', () => {
  test('are each caller’s own, each set of readers once, from the last time on', async () => {
    const path = newPath('reads.db')
    const notes = createReadNotes({ path, databases: databaseFiles })
    const [one, two] = [
      { account: 'work', readers: ['a@example.org', 'b@example.org'] },
      { account: 'home', readers: [] },
    ]
    await notes.note('x', [], NOW)
    expect(readdirSync(dirname(dirname(path)))).toEqual([])
    await notes.note('x', [one, two, one], NOW)
    await notes.note('x', [one], NOW + 10)
    await notes.note('x', [two], NOW - 10)
    await notes.note('y', [{ ...one, account: 'home' }], NOW)
    expect(await notes.since('x', NOW)).toEqual([two, one])
    expect(await notes.since('x', NOW + 1)).toEqual([one])
    expect(await notes.since('x', NOW + 11)).toEqual([])
    expect(await notes.since('y', 0)).toEqual([{ ...one, account: 'home' }])
    expect(await notes.since('z', 0)).toEqual([])
    await notes.forget('home')
    const blurred = { account: 'home', readers: [] }
    expect(await notes.since('x', 0)).toEqual([blurred, one])
    expect(await notes.since('y', NOW)).toEqual([blurred])
    expect(await notes.since('y', NOW + 1)).toEqual([])
    await notes.forget('home')
    expect(await notes.since('y', NOW)).toEqual([blurred])
    await notes.close()
    await expect(notes.note('x', [one], NOW)).rejects.toMatchObject({ code: 'unavailable' })
    const next = createReadNotes({ path, databases: databaseFiles })
    expect(await next.since('x', 0)).toEqual([blurred, one])
    await next.close()
  })

  test('are refused where the file cannot be used', async () => {
    const path = newPath('reads.db')
    mkdirSync(dirname(path))
    writeFileSync(path, 'x'.repeat(5000))
    const notes = createReadNotes({ path, databases: databaseFiles })
    const told = { code: 'unavailable', stage: 'read_notes', message: /reads.db .* is damaged/ }
    await expect(notes.note('x', [{ account: 'a', readers: [] }], NOW)).rejects.toMatchObject(told)
    await expect(notes.since('x', NOW)).rejects.toMatchObject(told)
    await notes.close()
  })
})
