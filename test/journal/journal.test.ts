import { mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { JOURNAL_FILE } from '../../src/adapters/journal/schema.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { Transfer } from '../../src/core/transfer/transfer.ts'
import type { Recorded } from '../../src/ports/journal.ts'
import { type EventFound, eventsIn, look, newPath, openJournal, STRANGE_ID } from './scene.ts'
import { newTransfer, onward, stepBy } from './transfers.ts'

function openFile(path: string): Sqlite.Database {
  mkdirSync(dirname(path), { recursive: true })
  const db = new Sqlite(path)
  onTestFinished(() => void db.close())
  return db
}

/** All of its steps, to the end. */
function wayOf(transfer: Transfer): Recorded[] {
  const step = onward(transfer)
  return step === undefined ? [] : [step, ...wayOf(step.after)]
}

const word = fc.string({ unit: 'grapheme', maxLength: 30 })
const uid = fc.integer({ min: 1, max: 0xffff_ffff })
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const anyTransfer: fc.Arbitrary<Transfer> = fc.record({
  txId: fc.uuid(),
  callerId: word,
  operation: fc.constantFrom('move', 'copy'),
  source: fc.record({ account: word, mailbox: word, uidvalidity: uid, uid }),
  destination: fc.record({ account: word, mailbox: word }),
  createdAt: fc.nat({ max: 8.64e15 }),
  status: fc.constantFrom('pending', 'staged', 'committed', 'aborted', 'needs_operator'),
  content: optional(
    fc.record({ hash: word, size: fc.nat(), flags: fc.array(word), received: fc.integer(), messageId: optional(word) }),
  ),
  fence: optional(fc.record({ uidvalidity: uid, uidNext: uid })),
  targetUid: optional(uid),
  targetUidvalidity: optional(uid),
  unproven: optional(
    fc.record({
      kind: fc.constantFrom('acknowledged', 'similar'),
      placed: optional(fc.record({ uid, uidvalidity: uid })),
    }),
  ),
  sourceGone: fc.constantFrom('no', 'flagged', 'yes'),
  retryCount: fc.nat(),
  lastError: optional(word),
  responseCode: optional(word),
  committedAt: optional(fc.nat({ max: 8.64e15 })),
})

describe('what is written down', () => {
  test('is there as it was, for whoever opens the file next', async () => {
    const path = newPath()
    const transfers = fc.sample(anyTransfer, 200)
    const first = createJournal({ path, locks: fileLocks, databases: databaseFiles })
    await first.begin(transfers)
    await first.close()
    const journal = openJournal(path)
    for (const transfer of transfers) expect(await journal.get(transfer.txId)).toEqual(transfer)
    expect(await journal.get(STRANGE_ID)).toBeUndefined()
  })

  test('follows every step, in one row and as many events', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const transfer = newTransfer()
    await journal.begin([transfer])
    for (const step of wayOf(transfer)) {
      await journal.record([step])
      expect(await journal.get(transfer.txId)).toEqual(step.after)
    }
    const told = (event: EventFound): string => [event.step, event.outcome, event.detail ?? '-'].join(' ')
    expect(eventsIn(path).map(told)).toEqual([
      'begin ok move',
      'fetched ok 10 bytes',
      'fenced ok uidvalidity 7, uidnext 40',
      `staged ok uid ${transfer.source.uid}`,
      'deleted ok gone',
      'commit ok -',
    ])
    expect(eventsIn(path).map(({ timestamp }) => timestamp)).toEqual([
      transfer.createdAt,
      ...wayOf(transfer).map(({ at }) => at),
    ])
  })

  test('tells a try that failed from the one too many, and an operator from a server', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const [failing, refused] = [newTransfer(), newTransfer()]
    await journal.begin([failing, refused])
    await journal.record([stepBy(refused, { kind: 'refused', error: 'uid_not_found' })])
    let now: Transfer = failing
    const take = async (event: Recorded['event']): Promise<void> => {
      const step = stepBy(now, event)
      await journal.record([step])
      now = step.after
    }
    for (let tries = 0; tries < 4; tries += 1) await take({ kind: 'failed', error: 'timeout' })
    await journal.claim([failing.txId])
    await take({ kind: 'retried' })
    await take({ kind: 'escalated', error: 'target_append_failed' })
    await journal.claim([failing.txId])
    await take({ kind: 'abandoned' })
    const told = eventsIn(path).filter(({ step }) => step !== 'begin')
    expect(told.map(({ step, outcome, detail }) => `${step} ${outcome} ${detail}`)).toEqual([
      'aborted refused uid_not_found',
      'retry failed timeout',
      'retry failed timeout',
      'retry failed timeout',
      'escalated failed timeout',
      'retry retried by an operator',
      'escalated escalated target_append_failed',
      'aborted abandoned by an operator',
    ])
  })

  test('is all there or not at all', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const [ours, never] = [newTransfer(), newTransfer()]
    await journal.begin([ours])
    const steps = [...wayOf(ours).slice(0, 1), ...wayOf(never).slice(0, 1)]
    await expect(journal.record(steps)).rejects.toThrow('not claimed here')
    await expect(journal.begin([never, ours])).rejects.toMatchObject({ code: 'conflict' })
    expect(await journal.list(10)).toEqual([ours])
    expect(eventsIn(path)).toHaveLength(1)
  })

  test('at the same time as something that does not fit is there all the same', async () => {
    const journal = openJournal(newPath())
    const transfers = Array.from({ length: 20 }, () => newTransfer())
    const [first] = transfers
    const endings = await Promise.allSettled(
      [...transfers, ...transfers.slice(0, 1)].map((one) => journal.begin([one])),
    )
    expect(endings.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(await journal.unfinished()).toEqual(transfers)
    expect(await journal.get(first?.txId ?? '')).toEqual(first)
  })

  test('is one move of a message at a time, however many copies', async () => {
    const journal = openJournal(newPath())
    const first = newTransfer()
    const { source } = first
    await journal.begin([first])
    await expect(journal.begin([newTransfer({ source })])).rejects.toMatchObject({ code: 'conflict' })
    await journal.begin([newTransfer({ source, operation: 'copy' }), newTransfer({ source, operation: 'copy' })])
    for (const step of wayOf(first)) await journal.record([step])
    await journal.begin([newTransfer({ source })])
    expect(await journal.list(10)).toHaveLength(4)
  })

  test('is one transfer for each arrival', async () => {
    const journal = openJournal(newPath())
    const [one, two] = [newTransfer(), newTransfer()]
    await journal.begin([one, two])
    for (const step of wayOf(one)) await journal.record([step])
    const [fetched, fenced] = wayOf(two)
    if (fetched === undefined || fenced === undefined) throw new Error('a way has these steps')
    await journal.record([fetched])
    await journal.record([fenced])
    const same = stepBy(fenced.after, { kind: 'staged', targetUid: one.source.uid, uidvalidity: 7 })
    await expect(journal.record([same])).rejects.toMatchObject({ code: 'conflict' })
    expect(await journal.get(two.txId)).toEqual(fenced.after)
  })

  test('never changes what was to be done: a copy stays one', async () => {
    const journal = openJournal(newPath())
    const transfer = newTransfer({ operation: 'copy' })
    await journal.begin([transfer])
    const [step] = wayOf({ ...transfer, operation: 'move' })
    await expect(journal.record(step === undefined ? [] : [step])).rejects.toThrow('is not that transfer')
    expect(await journal.get(transfer.txId)).toEqual(transfer)
  })
})

describe('lists', () => {
  test('unfinished ones oldest first, all of them newest first', async () => {
    const journal = openJournal(newPath())
    const made = [30, 10, 20, 20, 10].map((createdAt) => newTransfer({ createdAt }))
    const [a, b, c, d, e] = made
    await journal.begin(made)
    expect(await journal.unfinished()).toEqual([b, e, c, d, a])
    expect(await journal.list(10)).toEqual([a, d, c, e, b])
    expect(await journal.list(2)).toEqual([a, d])
    expect(await journal.list(0)).toEqual([])
    await journal.record(b === undefined ? [] : wayOf(b))
    await journal.record(c === undefined ? [] : [stepBy(c, { kind: 'escalated', error: 'conflict' })])
    expect((await journal.unfinished()).map(({ txId }) => txId)).toEqual([e, d, a].map((one) => one?.txId))
    expect(await journal.list(10)).toHaveLength(5)
  })

  test('nothing, where nothing was asked or written', async () => {
    const path = newPath()
    const journal = openJournal(path)
    await journal.begin([])
    await journal.record([])
    await journal.release([])
    expect(await journal.claim([])).toEqual([])
    expect(readdirSync(dirname(dirname(path)))).toEqual([])
    expect([await journal.unfinished(), await journal.list(5)]).toEqual([[], []])
  })
})

describe('claims', () => {
  test('what is begun here is ours, what is given back is anybody’s, what is unknown is nobody’s', async () => {
    const path = newPath()
    const [here, there] = [openJournal(path), openJournal(path)]
    const [one, two] = [newTransfer(), newTransfer()]
    await here.begin([one, two])
    expect(await here.claim([two.txId, STRANGE_ID, one.txId])).toEqual([two.txId, one.txId])
    await here.release([one.txId, STRANGE_ID])
    expect(await there.claim([one.txId, two.txId])).toEqual([one.txId])
    expect(await here.claim([one.txId, two.txId])).toEqual([two.txId])
  })

  test('what is final is nobody’s', async () => {
    const path = newPath()
    const [here, there] = [openJournal(path), openJournal(path)]
    const transfer = newTransfer()
    await here.begin([transfer])
    await here.record([stepBy(transfer, { kind: 'escalated', error: 'conflict' })])
    expect(await there.claim([transfer.txId])).toEqual([transfer.txId])
    expect(await here.claim([transfer.txId])).toEqual([])
  })

  test.each([
    ['that another process has now', "owner_started = owner_started || '0'"],
    ['that no process has', 'owner_pid = 4194304000'],
  ])('where there is no lock, a process number %s holds nothing', async (_, change) => {
    const path = newPath()
    const [here, there] = [openJournal(path), openJournal(path)]
    const transfer = newTransfer()
    await here.begin([transfer])
    expect(await there.claim([transfer.txId])).toEqual([])
    openFile(path).exec(`update transactions set owner_token = 'none', ${change}`)
    expect(await there.claim([transfer.txId])).toEqual([transfer.txId])
    await expect(here.record(wayOf(transfer))).rejects.toThrow('not claimed here')
  })
})

describe('the file', () => {
  test('is its owner’s alone, beside files included, and a directory made for it likewise', async () => {
    const path = newPath()
    await openJournal(path).begin([newTransfer()])
    const directory = dirname(path)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    const names = readdirSync(directory)
    const owner = expect.stringMatching(/^wal\.db\.[-0-9a-f]{36}\.owner$/)
    expect(names.sort()).toEqual(['wal.db', 'wal.db-shm', 'wal.db-wal', owner])
    for (const name of names) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
    expect(look(path, 'pragma journal_mode')).toEqual([{ journal_mode: 'wal' }])
  })

  test('of a newer version is refused, and left as it is', async () => {
    const path = newPath()
    const first = createJournal({ path, locks: fileLocks, databases: databaseFiles })
    await first.begin([newTransfer()])
    await first.close()
    openFile(path).pragma('user_version = 99')
    const told = { code: 'unsupported', message: expect.stringContaining('upgrade Postern') }
    await expect(openJournal(path).unfinished()).rejects.toMatchObject(told)
    await expect(openJournal(path).begin([newTransfer()])).rejects.toMatchObject(told)
    expect(look(path, 'pragma user_version')).toEqual([{ user_version: 99 }])
  })

  test('of an older version is brought up, with what is in it', () => {
    const path = newPath()
    const rowsWith = (scripts: readonly string[]): unknown[] => {
      const file = databaseFiles.file(path, { ...JOURNAL_FILE, scripts })
      onTestFinished(() => file.close())
      return file.all('select * from a')
    }
    expect(rowsWith(['create table a (x integer); insert into a values (7)'])).toEqual([{ x: 7 }])
    const scripts = ['nothing that would run', 'alter table a add column y integer default 8']
    expect(rowsWith(scripts)).toEqual([{ x: 7, y: 8 }])
    expect(rowsWith(scripts)).toEqual([{ x: 7, y: 8 }])
    expect(look(path, 'pragma user_version')).toEqual([{ user_version: 2 }])
  })

  test('of another program is refused, and so is one that is no database', async () => {
    const foreign = newPath()
    openFile(foreign).exec('create table theirs (x)')
    await expect(openJournal(foreign).begin([newTransfer()])).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining('another program'),
    })
    const noise = newPath()
    mkdirSync(dirname(noise))
    writeFileSync(noise, Buffer.alloc(8192, 'noise'))
    const damaged = { code: 'unreadable', message: expect.stringContaining('damaged') }
    await expect(openJournal(noise).list(1)).rejects.toMatchObject(damaged)
  })

  test('in a place that cannot be is told in our words, and tried again the next time', async () => {
    const path = newPath()
    const journal = openJournal(path)
    mkdirSync(path, { recursive: true })
    const told = { code: 'unavailable', stage: 'journal', message: expect.stringContaining('in the place of') }
    await expect(journal.begin([newTransfer()])).rejects.toMatchObject(told)
    rmdirSync(path)
    await journal.begin([newTransfer()])
    expect(await journal.unfinished()).toHaveLength(1)
    const blocked = openJournal(join(dirname(path), 'x', 'wal.db'))
    writeFileSync(join(dirname(path), 'x'), '')
    await expect(blocked.unfinished()).rejects.toMatchObject(told)
  })
})

test('closing waits for what is under way; afterwards nothing is accepted', async () => {
  const path = newPath()
  const journal = openJournal(path)
  const transfer = newTransfer()
  const begun = journal.begin([transfer])
  await journal.close()
  await begun
  const told = { code: 'unavailable', message: expect.stringContaining('closed') }
  await expect(journal.begin([newTransfer()])).rejects.toMatchObject(told)
  await expect(journal.get(transfer.txId)).rejects.toMatchObject(told)
  await journal.close()
  expect(await openJournal(path).list(5)).toEqual([transfer])
})
