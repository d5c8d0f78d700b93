import { expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { SyncReport } from '../../engine/sync/full-sync.ts'
import type { SyncProgress } from '../../engine/sync/progress.ts'
import { type ForgetParts, forgetCommand } from './forget.ts'
import { type SyncChoice, type SyncDesk, syncCommand } from './sync.ts'
import { syncLine, syncNote } from './sync-progress.ts'

const HALF: SyncProgress = {
  ...{ account: 'work', mailbox: 'INBOX', phase: 'texts' },
  ...{ done: 25_000, total: 50_000, perSecond: 2500, secondsLeft: 10 },
}
const REPORT: SyncReport = {
  kind: 'done',
  folders: [
    { mailbox: 'INBOX', fetched: 1200, indexed: 1200, kept: 5000 },
    { mailbox: 'a\u001B[2Jb', fetched: 0, indexed: 0, kept: 3, failure: new Failure('rejected', 'the server refused') },
  ],
  dropped: ['Old'],
  seconds: 12,
}

async function run(choice: Partial<SyncChoice>, desk: Partial<SyncDesk> = {}, interactive = true) {
  const out: string[] = []
  const err: string[] = []
  let now = 0
  const code = await syncCommand(
    { accounts: [], json: false, ...choice },
    {
      desk: {
        accounts: () => ['work', 'home'],
        known: () => ['work', 'home', 'post'],
        sync: async (_account, onProgress) => {
          for (const time of [1000, 4000, 6000, 7000]) {
            now = time
            onProgress(HALF)
          }
          return REPORT
        },
        ...desk,
      },
      terminal: { print: (text) => void out.push(text), complain: (text) => void err.push(text) },
      interactive,
      elapsed: () => now,
      onStop: () => undefined,
    },
  )
  return { code, out: out.join(''), err: err.join('') }
}

test('every account with a mirror is synced, and what went wrong is told in words without escapes', async () => {
  const { code, out, err } = await run({})
  expect(code).toBe(1)
  expect(out).toBe(
    ['work', 'home']
      .map(
        (account) =>
          `${account}: 5,003 messages in 2 folders (1,200 fetched, 1,200 indexed, 12 s).\n` +
          '  1 that are no longer there were removed.\n  ab could not be synced: the server refused\n',
      )
      .join(''),
  )
  expect(err).toContain('25,000 of 50,000')
  expect(err.endsWith('\r\u001B[2K')).toBe(true)
})

test('as JSON it is an object a folder', async () => {
  const { out } = await run({ accounts: ['work'], json: true })
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { account: 'work', mailbox: 'INBOX', fetched: 1200, indexed: 1200, kept: 5000 },
    {
      ...{ account: 'work', mailbox: 'a\u001B[2Jb', fetched: 0, indexed: 0, kept: 3 },
      error: { code: 'rejected', message: 'the server refused' },
    },
  ])
})

test('a log gets a line every few seconds', async () => {
  const { err } = await run({ accounts: ['work'] }, {}, false)
  expect(err).toBe(`${syncNote(HALF)}\n`)
})

test.each([
  [
    'an account without a mirror',
    { accounts: ['post'] },
    {},
    'no mirror is configured for "post"; there is one for: work, home',
  ],
  ['no account with a mirror', {}, { accounts: () => [] }, 'no account has a mirror'],
  ['no account', {}, { accounts: () => [], known: () => [] }, 'no mail account is configured here'],
  [
    'an account that is not there',
    { accounts: ['wrok'] },
    {},
    'there is no account "wrok"; there are: work, home, post',
  ],
  [
    'one that another process syncs',
    {},
    { sync: async () => ({ kind: 'busy' as const }) },
    'another process is syncing it',
  ],
  [
    'a server that is away',
    {},
    { sync: () => Promise.reject(new Failure('unavailable', 'no answer')) },
    'account work: no answer',
  ],
])('%s is told on stderr', async (_what, choice, desk, message) => {
  const { code, out, err } = await run(choice, desk)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(message)
})

test('the line says where, how much, how fast and how long', () => {
  expect(syncLine(HALF, 120)).toBe('work INBOX  ████████████░░░░░░░░░░░░  25,000 of 50,000 indexed  2,500/s  10 s left')
  for (const columns of [10, 20, 40, 60, 80]) expect(syncLine(HALF, columns).length).toBeLessThan(columns)
})

const KNOWN = { known: () => ['home', 'work'], isKept: async () => false }

async function forget(more: Partial<ForgetParts>, yes = false) {
  const said: string[] = []
  const asked: string[] = []
  const code = await forgetCommand(
    { account: 'work', yes },
    {
      desk: {
        ...KNOWN,
        forget: async (account) => {
          asked.push(account)
          return { folders: 1, messages: 5003 }
        },
      },
      terminal: { print: (text) => void said.push(text), complain: (text) => void said.push(text) },
      interactive: true,
      readLine: async () => 'y',
      onStop: () => undefined,
      ...more,
    },
  )
  return { code, asked, said: said.join('') }
}

test.each([
  ['y', 1],
  ['YES', 1],
  ['', 0],
  ['n', 0],
  ['yellow', 0],
])('whether it is forgotten after %j', async (answer, times) => {
  const { code, asked, said } = await forget({ readLine: async () => answer })
  expect(asked).toHaveLength(times)
  expect(code).toBe(times === 1 ? 0 : 1)
  expect(said).toContain(times === 1 ? 'account work: 5,003 messages in 1 folder.' : 'nothing was removed')
})

test('without a person it takes --yes', async () => {
  const refused = await forget({ interactive: false })
  expect(refused).toMatchObject({ code: 1, asked: [] })
  expect(refused.said).toContain('--yes')
  expect(await forget({ interactive: false }, true)).toMatchObject({ code: 0, asked: ['work'] })
})

test('an account that is not there is told before anybody is asked, with those there are', async () => {
  const without = (isKept: boolean): Partial<ForgetParts> => ({
    interactive: false,
    desk: { known: () => ['home', 'play'], isKept: async () => isKept, forget: async () => undefined },
  })
  const { code, said } = await forget(without(false))
  expect(code).toBe(1)
  expect(said).toBe('postern: there is no account "work", and nothing is kept of it; there are: home, play\n')
  // One that was removed from the configuration can still be forgotten, and a script hears nothing new.
  expect((await forget(without(true))).said).toContain('--yes')
  expect(await forget(without(false), true)).toMatchObject({ code: 0, said: 'nothing is kept of account work\n' })
})

test('what cannot be forgotten now is told', async () => {
  const busy = new Failure('conflict', 'account work is being synced by another process')
  const { code, said } = await forget({ desk: { ...KNOWN, forget: () => Promise.reject(busy) } })
  expect(code).toBe(1)
  expect(said).toContain('is being synced by another process')
})
