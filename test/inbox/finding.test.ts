/** Listing and searching: by account and folder as people name them, newest first. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { at, letter } from '../mail-source/messages.ts'
import { type Agent, type Stage, startStage } from '../policy/stage.ts'
import { ADDRESS, type Arguments, emailsOf, inboxSpec, refusal, type Told, tell } from './answers.ts'

let stage: Stage
let agent: Agent
let searcher: Agent

const day = (n: number): number => at(`2024-03-${String(n).padStart(2, '0')}T12:00:00Z`)

beforeAll(async () => {
  stage = await startStage(inboxSpec(['lister', 'searcher', 'asker']))
  await stage.put('ada', 'INBOX', [
    {
      raw: letter({ subject: 'oldest', from: 'Bob Builder <bob@example.net>', body: 'about the zebra' }),
      received: day(1),
      flags: ['\\Seen'],
    },
    { raw: letter({ subject: 'middle', from: 'carol@example.net' }), received: day(2), flags: ['\\Flagged'] },
    { raw: letter({ subject: 'newest', from: 'Bob Builder <bob@example.net>' }), received: day(3) },
  ])
  await stage.put('ada', 'Archive/2023', [
    { raw: letter({ subject: 'kept' }), received: day(4), flags: ['\\Flagged', '\\Seen'] },
  ])
  await stage.put('ada', 'Trash', [{ raw: letter({ subject: 'thrown away', body: 'zebra' }), received: day(5) }])
  agent = await stage.as('lister')
  searcher = await stage.as('searcher')
})
afterAll(() => stage.close())

const list = (args: Arguments = {}): Promise<Told> =>
  tell(agent.postern.client, 'list_emails', { account: ADDRESS, ...args })
const search = (query: string, args: Arguments = {}): Promise<Told> =>
  tell(searcher.postern.client, 'search_emails', { account: ADDRESS, query, ...args })
const subjects = (told: Told): (string | undefined)[] => emailsOf(told).map(({ subject }) => subject)

test('a listing, word for word', async () => {
  const told = await list({ limit: 2 })
  const ids = emailsOf(told).map(({ id }) => id)
  expect(told.text).toBe(
    [
      'Found 2 emails:',
      '',
      `ID: ${ids[0]}`,
      'From: Bob Builder <bob@example.net>',
      'Subject: newest',
      'Date: 2024-01-01T12:00:00Z',
      'Unread: true',
      'Starred: false',
      '---',
      `ID: ${ids[1]}`,
      'From: carol@example.net',
      'Subject: middle',
      'Date: 2024-01-01T12:00:00Z',
      'Unread: true',
      'Starred: true',
      '---',
      'Showing the newest 2 of 3',
    ].join('\n'),
  )
  expect(told.value).toMatchObject({ found: 2, total: 3, more: true, coverage: { complete: true } })
  expect(told.value['emails']).toMatchObject([
    { id: expect.stringMatching(/^imap:ada:INBOX:\d+:3$/), subject: 'newest', unread: true, starred: false },
    { subject: 'middle', starred: true },
  ])
})

test.each<[string, Arguments, readonly string[]]>([
  ['the inbox', {}, ['newest', 'middle', 'oldest']],
  ['by the id of the account', { account: 'ada' }, ['newest', 'middle', 'oldest']],
  ['whatever the letters of the address', { account: 'Ada@Example.COM' }, ['newest', 'middle', 'oldest']],
  ['unread only', { unread_only: true }, ['newest', 'middle']],
  ['by sender', { sender: 'bob@example.net' }, ['newest', 'oldest']],
  ['both before the limit', { sender: 'bob@example.net', unread_only: true, limit: 1 }, ['newest']],
  ['a sender in quotes', { sender: '"bob" OR from:carol' }, []],
  ['starred, wherever it is', { folder: 'Starred' }, ['kept', 'middle']],
  ['trash by what it is for', { folder: 'trash' }, ['thrown away']],
  ['a folder by its path', { folder: 'Archive/2023' }, ['kept']],
  ['an empty folder', { folder: 'sent' }, []],
])('listing %s', async (_what, args, expected) => {
  expect(subjects(await list(args))).toEqual(expected)
})

test('nothing found is said in the same form', async () => {
  expect((await list({ folder: 'sent' })).text).toBe('Found 0 emails:')
})

test('a search, word for word', async () => {
  const told = await search('zebra')
  const [coverage, ...entry] = told.text.split('\n').toReversed()
  expect(coverage).toMatch(/^Coverage: the mail server searched the bodies/)
  expect(entry.toReversed().join('\n')).toBe(
    [
      'Search results for "zebra": 1 emails',
      '',
      `ID: ${emailsOf(told)[0]?.id}`,
      'From: Bob Builder',
      'Subject: oldest',
      'Date: 2024-01-01T12:00:00Z',
      'Snippet: about the zebra...',
      '---',
    ].join('\n'),
  )
})

test.each<[string, readonly string[]]>([
  ['from:bob', ['newest', 'oldest']],
  ['is:starred -subject:kept', ['middle']],
  ['zebra in:trash', ['thrown away']],
  ['(subject:kept OR subject:middle)', ['kept', 'middle']],
  ['after:2024/03/03', ['kept', 'newest']],
])('searching %s', async (query, expected) => {
  expect(subjects(await search(query))).toEqual(expected)
})

test('what cannot be asked is said', async () => {
  const { client } = (await stage.as('asker')).postern
  const refused = (tool: string, args: Arguments) => refusal(client, tool, args)
  const accounts = {
    code: -32002,
    data: { code: 'account_required' },
    message: expect.stringContaining(`you may use: ${ADDRESS}`),
  }
  expect(await refused('list_emails', {})).toMatchObject(accounts)
  expect(await refused('list_emails', { account: '' })).toMatchObject(accounts)
  expect(await refused('list_emails', { account: 'eve@example.com' })).toMatchObject(accounts)
  expect(await refused('search_emails', { query: 'x' })).toMatchObject(accounts)
  expect(await refused('list_emails', { account: ADDRESS, folder: 'nowhere' })).toMatchObject({
    code: -32001,
    message: expect.stringMatching(/^there is no such folder; there are: .*Archive\/2023/),
  })
  for (const limit of [0, 101, -1, 1.5]) {
    expect(await refused('list_emails', { account: ADDRESS, limit })).toMatchObject({ code: -32602 })
  }
  expect(await refused('search_emails', { account: ADDRESS, query: 'x', limit: 51 })).toMatchObject({
    code: -32602,
    message: 'limit must be between 1 and 50; got 51',
  })
  expect(await refused('search_emails', { account: ADDRESS, query: '(x' })).toMatchObject({ code: -32602 })
  expect(await refused('search_emails', { account: ADDRESS })).toMatchObject({ message: 'query is required' })
  expect(await refused('list_emails', { account: ADDRESS, folder: 'a\r\nb' })).toMatchObject({ code: -32602 })
  expect(await refused('list_emails', { account: 7 })).toMatchObject({ message: 'account must be a string; got 7' })
})
