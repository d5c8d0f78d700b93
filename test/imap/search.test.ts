/** Searching: which messages, in which order, and what is shown of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import { at, letter, type SeedMessage } from '../mail-source/messages.ts'
import { type Stage, startStage, uidOf } from './harness.ts'
import type { Arguments } from './postern.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

const search = (mailbox: string, args: Arguments = {}) =>
  stage.postern.call('imap_search_messages', { mailbox, limit: 50, ...args })

const subjectsOf = async (mailbox: string, args: Arguments = {}): Promise<(string | undefined)[]> => {
  const { data } = await search(mailbox, args)
  expect(data).toMatchObject({ status: 'ok', issues: [], failed: 0, total: data.returned, attempted: data.returned })
  return data.messages.map(({ subject }) => subject)
}

describe.each([
  ['that sorts', stage0],
  ['that does not sort', () => startStage({ capability: capabilityWithout('SORT', 'SORT=DISPLAY', 'ESORT') })],
])('the order on a server %s', (_, make) => {
  test('newest first by INTERNALDATE, whatever the Date header says, then by uid', async () => {
    const here = await make()
    const days = ['2024-01-03', '2024-01-01', '2024-01-02', '2024-01-02', '2024-01-02', '2024-01-04']
    await here.put(
      'Order',
      days.map((day, index) => ({
        raw: letter({ subject: `${index}` }),
        received: at(`${day}T12:00:00Z`),
      })),
    )
    const { data } = await here.postern.call('imap_search_messages', { mailbox: 'Order' })
    expect(data.messages.map(({ subject }) => subject)).toEqual(['5', '0', '4', '3', '2', '1'])
    if (here !== stage) await here.close()
  })
})

async function stage0(): Promise<Stage> {
  return stage
}

test('what a listed message shows', async () => {
  const raw = letter({ subject: 'Grüße aus Zürich', from: '=?utf-8?Q?Zo=C3=AB?= <zoe@example.org>' })
  const [id = ''] = await stage.put('Shown', [{ raw, flags: ['\\Flagged', 'Kept'] }])
  const { summary, data } = await search('Shown', { limit: 10 })
  const [, , mailbox, uidvalidity] = id.split(':')
  expect(summary).toBe('1 message(s) returned of 1 that match')
  expect(data).toEqual({
    status: 'ok',
    issues: [],
    next_action: {
      instruction: expect.any(String),
      tool: 'imap_get_message',
      arguments: { account_id: 'default', message_id: id },
    },
    account_id: 'default',
    mailbox: 'Shown',
    total: 1,
    attempted: 1,
    returned: 1,
    failed: 0,
    messages: [
      {
        message_id: id,
        message_uri: `imap://default/mailbox/Shown/message/${uidvalidity}/${uidOf(id)}`,
        message_raw_uri: `imap://default/mailbox/Shown/message/${uidvalidity}/${uidOf(id)}/raw`,
        mailbox,
        uidvalidity: Number(uidvalidity),
        uid: uidOf(id),
        date: '2024-01-01T12:00:00Z',
        from: 'Zoë <zoe@example.org>',
        subject: 'Grüße aus Zürich',
        flags: expect.arrayContaining(['\\Flagged', 'Kept']),
      },
    ],
    has_more: false,
  })
})

test('an empty mailbox and a search without matches', async () => {
  await stage.put('Empty', [])
  for (const args of [{}, { query: 'nothing like it' }]) {
    const { summary, data } = await search('Empty', args)
    expect(summary).toBe('No messages match')
    expect(data).toMatchObject({ status: 'ok', total: 0, attempted: 0, returned: 0, messages: [], has_more: false })
    expect(data).not.toHaveProperty('next_cursor')
  }
})

test('a mailbox that is not there is not found', async () => {
  const refusal = await stage.postern.refusal('imap_search_messages', { mailbox: 'Nowhere' })
  expect(refusal).toMatchObject({
    message: 'the mailbox does not exist; list the mailboxes to see which do',
    data: { code: 'not_found' },
  })
})

describe('criteria', () => {
  const bodies: Letters = {
    plain: { body: 'The quick brown fox' },
    quoted: { body: 'a "quoted" word', subject: 'quoted' },
    backslash: { body: 'C:\\temp\\file' },
    braces: { body: 'array{5} and {5}' },
    umlaut: { body: 'Grüße aus München', from: 'Jürgen <juergen@example.org>' },
    japanese: { body: 'これは日本語です' },
    wildcard: { body: '100% of *stars*' },
    paren: { body: 'f(x) = (y)' },
    sender: { from: 'Carol "The Boss" <carol@example.com>' },
    receiver: { to: 'Dave <dave@example.com>' },
  }
  type Letters = Record<string, { body?: string; from?: string; to?: string; subject?: string }>

  beforeAll(async () => {
    const letters = Object.entries(bodies).map(([subject, fields]) =>
      letter({ ...fields, subject: fields.subject ?? subject }),
    )
    await stage.put('Criteria', [
      ...letters,
      letter({ subject: 'Überraschung für Zoë' }),
      { raw: letter({ subject: 'read' }), flags: ['\\Seen'] },
    ])
  })

  test.each<[Arguments, string[]]>([
    [{ query: 'brown fox' }, ['plain']],
    [{ query: 'BROWN FOX' }, ['plain']],
    [{ query: 'fox brown' }, []],
    [{ query: '"quoted"' }, ['quoted']],
    [{ query: 'C:\\temp\\' }, ['backslash']],
    [{ query: '{5}' }, ['braces']],
    [{ query: '{5+}' }, []],
    [{ query: 'München' }, ['umlaut']],
    [{ query: 'münchen' }, ['umlaut']],
    [{ query: '日本語' }, ['japanese']],
    [{ query: '100% of *' }, ['wildcard']],
    [{ query: 'f(x) = (' }, ['paren']],
    [{ query: 'carol@example.com' }, ['sender']],
    [{ from: 'carol' }, ['sender']],
    [{ from: 'Jürgen' }, ['umlaut']],
    [{ from: 'The Boss' }, ['sender']],
    [{ to: 'dave@example.com' }, ['receiver']],
    [{ subject: 'Überraschung' }, ['Überraschung für Zoë']],
    [{ subject: 'ZOË' }, ['Überraschung für Zoë']],
    [{ subject: 'plain', query: 'fox' }, ['plain']],
    [{ subject: 'plain', query: 'München' }, []],
    [{ from: 'Jürgen', query: 'Grüße', unread_only: true }, ['umlaut']],
    [{ subject: 'read', unread_only: true }, []],
    [{ subject: 'read', unread_only: false }, ['read']],
    [{ query: 'ALL' }, []],
    [{ query: 'x" OR ALL "' }, []],
    [{ subject: 'NOT read' }, []],
    [{ query: ' brown ' }, ['plain']],
  ])('%j finds %j', async (args, expected) => {
    expect(await subjectsOf('Criteria', args)).toEqual(expected)
  })

  test('CHARSET is sent only where a term is not ASCII', async () => {
    stage.proxy.forget()
    await search('Criteria', { query: 'plain "text"' })
    expect(stage.proxy.sent()).not.toMatch(/UTF-8/i)
    await search('Criteria', { query: 'Überraschung' })
    expect(stage.proxy.sent()).toMatch(/UTF-8/i)
  })
})

describe('days', () => {
  const DAY_MS = 86_400_000
  const ago = (days: number, time: string): number =>
    at(`${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)}T${time}Z`)
  const dated = (subject: string, received: number): SeedMessage => ({ raw: letter({ subject }), received })

  beforeAll(async () => {
    // Today shall be the same day for all that follows.
    const left = DAY_MS - (Date.now() % DAY_MS)
    if (left < 60_000) await new Promise((resolve) => setTimeout(resolve, left))
    await stage.put('Days', [
      dated('31 first second', at('2024-01-31T00:00:00Z')),
      dated('31 last second', at('2024-01-31T23:59:59Z')),
      dated('1 first second', at('2024-02-01T00:00:00Z')),
      dated('1 last second', at('2024-02-01T23:59:59Z')),
      dated('2 first second', at('2024-02-02T00:00:00Z')),
    ])
    await stage.put('Recent', [
      dated('three days ago, last second', ago(3, '23:59:59')),
      dated('two days ago, first second', ago(2, '00:00:00')),
      dated('today', ago(0, '00:00:00')),
    ])
  })

  test.each<[Arguments, string[]]>([
    [{ start_date: '2024-02-01', end_date: '2024-02-01' }, ['1 last second', '1 first second']],
    [{ start_date: '2024-02-01' }, ['2 first second', '1 last second', '1 first second']],
    [{ end_date: '2024-01-31' }, ['31 last second', '31 first second']],
    [{ start_date: '2024-02-03' }, []],
    [{ end_date: '2024-01-30' }, []],
    [{ start_date: '2024-01-31', end_date: '2024-02-01', subject: 'first' }, ['1 first second', '31 first second']],
  ])('%j finds %j', async (args, expected) => {
    expect(await subjectsOf('Days', args)).toEqual(expected)
  })

  test('last_days counts whole days back from today, UTC', async () => {
    expect(await subjectsOf('Recent', { last_days: 2 })).toEqual(['today', 'two days ago, first second'])
    expect(await subjectsOf('Recent', { last_days: 1 })).toEqual(['today'])
    expect(await subjectsOf('Recent', { last_days: 365 })).toHaveLength(3)
  })
})

test('nothing that was found is marked as seen', async () => {
  await stage.put('Unseen', [letter({}), letter({})])
  await search('Unseen', { include_snippet: true, query: 'Nothing' })
  expect(await stage.ada.flags('Unseen', 1)).not.toContain('\\Seen')
})
