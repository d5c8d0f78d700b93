/** Whatever a caller writes stays text: no folder, criterion, tag or draft becomes a command of the mail protocol. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { type Agent, ALL_CAPABILITIES, type Stage, startStage, uniform } from './stage.ts'
import { commandsIn } from './wire.ts'

/** What Postern has to say to a server, and nothing else. */
const VERBS = [
  ...[
    'CAPABILITY',
    'LOGIN',
    'AUTHENTICATE',
    'ID',
    'ENABLE',
    'NAMESPACE',
    'LIST',
    'LSUB',
    'STATUS',
    'SELECT',
    'EXAMINE',
  ],
  ...[
    'NOOP',
    'UNSELECT',
    'CLOSE',
    'LOGOUT',
    'COMPRESS',
    'UID SEARCH',
    'UID SORT',
    'UID FETCH',
    'UID STORE',
    'UID COPY',
  ],
  ...['UID MOVE', 'UID EXPUNGE', 'APPEND'],
]

const INJECTED = 'A1 CREATE Injected'

/** Names that a server may have, and that mean something to a careless writer of commands. */
const ODD_NAMES = [
  ...[
    'we"ird',
    'back\\slash',
    'quote"\\',
    '{5}',
    '{5+}',
    'a {100}',
    '(paren)',
    'NIL',
    '&AA0ACg-A1 CREATE Injected',
    '&',
    '&-',
  ],
  ...[
    'INBOX" CREATE "Injected',
    'x" RETURN (STATUS',
    'per%cent',
    'Grüße',
    '東京',
    '💌',
    `\u2028${INJECTED}`,
    'a\u00a0b',
    'a  b',
    'ÿ',
  ],
]

const BROKEN = [
  `INBOX\r\n${INJECTED}\r\n`,
  `INBOX\n${INJECTED}`,
  `INBOX\r${INJECTED}`,
  'INBOX\0',
  'x\u0085y',
  '\ud800',
  '',
]

let stage: Stage
let agent: Agent
let uid: number

beforeAll(async () => {
  const named = ODD_NAMES.map((path) => uniform(path, 'FULL', ALL_CAPABILITIES))
  stage = await startStage({
    callers: { bot: { toolsets: ['policy', 'imap'] } },
    policies: { bot: { accounts: { ada: [uniform('INBOX', 'FULL', ALL_CAPABILITIES), ...named] } } },
  })
  ;[uid = 0] = await stage.put('ada', 'INBOX', [letter({ subject: 'the one' })])
  for (const name of ['we"ird', '{5}', '(paren)', 'per%cent', 'Grüße']) {
    await stage.put('ada', name, [letter({ subject: `in ${name}` })])
  }
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

/** Every command that went over the wire so far is one of ours, once. */
async function expectClean(): Promise<void> {
  for (const conversation of stage.proxy.conversations()) {
    const commands = commandsIn(conversation)
    for (const { verb, line } of commands) expect(VERBS, line).toContain(verb)
    expect(new Set(commands.map(({ tag }) => tag)).size).toBe(commands.length)
  }
  const boxes = await (await stage.client('ada')).imap.list()
  expect(boxes.map(({ path }) => path)).not.toContain('Injected')
}

const at = (folder: string) => ({ account: 'ada', folder })

test.each(ODD_NAMES)('the folder %j is one name', async (folder) => {
  const there = ['we"ird', '{5}', '(paren)', 'per%cent', 'Grüße'].includes(folder)
  const outcome = there ? { matched_total: 1 } : { error_type: 'folder_not_found' }
  expect(await agent.ask('search', at(folder))).toMatchObject(outcome)
  expect(await agent.ask('list_messages', at(folder))).toMatchObject(outcome)
  await agent.ask('folder_stats', at(folder))
  await agent.ask('fetch_envelope', { ...at(folder), uid: 1 })
  await agent.ask('mark_seen', { ...at(folder), uid: 1, seen: true })
  const target = { source: { ...at('INBOX'), uid }, target: at(folder) }
  expect(await agent.ask('copy', target)).toMatchObject(
    there ? { result: 'OK' } : { error_type: 'target_folder_missing' },
  )
  await agent.ask('create_draft', { ...at(folder), rfc822: 'Subject: draft\r\n\r\n' })
  await agent.postern.attempt('imap_search_messages', { account_id: 'ada', mailbox: folder })
  await expectClean()
  if (there) await reset(folder)
})

/** The copy and the draft go again. */
async function reset(folder: string): Promise<void> {
  const client = await stage.client('ada')
  for (const extra of (await client.uids(folder)).slice(1)) await client.vanish(folder, extra)
}

test.each(BROKEN)('%j is refused wherever a name may stand', async (bad) => {
  const calls: [string, object][] = [
    ['search', at(bad)],
    ['fetch_body', { ...at(bad), uid }],
    ['copy', { source: { ...at('INBOX'), uid }, target: at(bad) }],
    ['move', { source: { ...at(bad), uid }, target: at('INBOX') }],
    ['create_draft', { ...at(bad), rfc822: 'Subject: x\r\n\r\n' }],
    ['list_folders', { account: bad }],
    ['fetch_attachment', { ...at('INBOX'), uid, part_id: bad }],
    ['get_transaction_status', { tx_id: bad }],
    ['search', { ...at('INBOX'), criteria: { subject_contains: bad } }],
    ['search', { ...at('INBOX'), criteria: { from: `a@b.example${bad}` } }],
  ]
  // What is judged here and never sent may be any text.
  const sent = bad === '\ud800' ? -2 : bad === '' ? -1 : calls.length
  for (const [tool, args] of calls.slice(0, sent)) {
    expect(await agent.refusal(tool, args as Record<string, unknown>), tool).toMatchObject({ code: -32602 })
  }
  await expectClean()
})

test.each([
  '" OR ALL "',
  'x" UNSEEN',
  ') OR (ALL',
  '{4}',
  '{4+}',
  'CHARSET UTF-8 ALL',
  '\\',
  '\\"',
  '* OK',
  '1:*',
  'NOT SEEN',
  `the one\u2028${INJECTED}`,
  'ÄÖÜ" ALL',
])('the criterion %j is a piece of text', async (text) => {
  const criteria = { subject_contains: text, newer_than: '1d', size_gt: 1 }
  expect(await agent.ask('search', { ...at('INBOX'), criteria })).toMatchObject({ matched_total: 0, uids: [] })
  expect(await agent.ask('search', { ...at('INBOX'), criteria: { to_contains: text } })).toMatchObject({
    matched_total: 0,
  })
  for (const field of ['query', 'from', 'to', 'subject']) {
    const { data } = await agent.postern.call('imap_search_messages', {
      account_id: 'ada',
      mailbox: 'INBOX',
      [field]: text,
    })
    expect(data.total).toBe(0)
  }
  await expectClean()
})

describe('a draft', () => {
  const draft = async (rfc822: string): Promise<string> => {
    const answer = await agent.ask('create_draft', { ...at('INBOX'), rfc822 })
    expect(answer).toMatchObject({ result: 'OK', uid: expect.any(Number), uidvalidity: expect.any(Number) })
    const client = await stage.client('ada')
    await client.imap.mailboxOpen('INBOX')
    const message = await client.imap.fetchOne(String(answer['uid']), { source: true, flags: true }, { uid: true })
    await client.vanish('INBOX', Number(answer['uid']))
    if (!message || message.source === undefined) throw new Error('the draft is not there')
    expect([...(message.flags ?? [])].filter((flag) => flag !== '\\Recent').toSorted()).toEqual(['\\Draft', '\\Seen'])
    return message.source.toString()
  }

  test.each([
    ['whole lines', 'Subject: a\r\n\r\nb\r\n', 'Subject: a\r\n\r\nb\r\n'],
    ['bare line feeds', 'Subject: a\n\nb\nc', 'Subject: a\r\n\r\nb\r\nc'],
    ['bare carriage returns', 'Subject: a\r\rb\rc', 'Subject: a\r\n\r\nb\r\nc'],
    ['a mixture', 'Subject: a\r\n\n\rb\r\r\nc', 'Subject: a\r\n\r\n\r\nb\r\n\r\nc'],
    ['lines of dots', 'Subject: a\r\n\r\n.\r\n..\r\n.x\r\n', 'Subject: a\r\n\r\n.\r\n..\r\n.x\r\n'],
    ['eight bits', 'Subject: Grüße\r\n\r\n東京 💌 \u0080', 'Subject: Grüße\r\n\r\n東京 💌 \u0080'],
    ['what looks like a command', `Subject: a\r\n\r\n)\r\n${INJECTED}\r\n`, `Subject: a\r\n\r\n)\r\n${INJECTED}\r\n`],
    ['what looks like a literal', 'Subject: {9}\r\n\r\n{10+}\r\n', 'Subject: {9}\r\n\r\n{10+}\r\n'],
    ['a header alone', 'Subject: a', 'Subject: a'],
    ['a fold', 'Subject: a\n b\n\n', 'Subject: a\r\n b\r\n\r\n'],
  ])('%s arrives as it is, in whole lines', async (_what, written, stored) => {
    expect(await draft(written)).toBe(stored)
    await expectClean()
  })

  test('two megabytes arrive, more than three million characters do not', async () => {
    const body = `${'x'.repeat(78)}\r\n`.repeat(26_000)
    expect((await draft(`Subject: long\r\n\r\n${body}`)).length).toBe(17 + body.length)
    const huge = { ...at('INBOX'), rfc822: `Subject: x\r\n\r\n${'x'.repeat(3_000_000)}` }
    expect(await agent.refusal('create_draft', huge)).toMatchObject({ code: -32602 })
  })

  test.each([
    '',
    'Subject: a\0\r\n\r\n',
    'Subject: a\r\n\r\n\0',
    '\ud800: x',
    'no header at all',
    '\r\n\r\nbody',
    7,
    null,
  ])('%j is refused', async (rfc822) => {
    expect(await agent.refusal('create_draft', { ...at('INBOX'), rfc822 })).toMatchObject({ code: -32602 })
  })
})
