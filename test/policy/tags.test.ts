/** Tags are keywords and `\Flagged`; no spelling of anything else reaches a system flag. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { type Agent, ALL_CAPABILITIES, type Stage, startStage, uniform } from './stage.ts'

let stage: Stage
let agent: Agent
let uid: number

beforeAll(async () => {
  stage = await startStage({
    callers: { bot: {}, shy: {} },
    policies: {
      bot: { accounts: { ada: [uniform('INBOX', 'FULL', ALL_CAPABILITIES)] } },
      shy: { accounts: { ada: [uniform('INBOX', 'FULL')] } },
    },
  })
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

const KEPT = ['\\Answered', '\\Draft', '\\Flagged', '\\Seen', 'kept']

beforeEach(async () => {
  ;[uid = 0] = await stage.put('ada', 'INBOX', [{ raw: letter({}), flags: KEPT }])
})

const call = (tags: readonly unknown[], mode = 'add') => ({ account: 'ada', folder: 'INBOX', uid, tags, mode })
const flags = async (): Promise<string[]> =>
  (await (await stage.client('ada')).flags('INBOX', uid)).filter((flag) => flag !== '\\Recent').toSorted()

const FORBIDDEN = [
  ...['\\Seen', '\\Deleted', '\\Draft', '\\Recent', '\\Answered'],
  ...['\\seen', '\\SEEN', '\\sEEn', '\\DELETED', '\\deleted', '\\dRAFT', '\\RECENT'],
  ...[' \\Deleted', '\\Deleted ', '\\ Deleted', '\\\\Deleted', 'x\\Deleted', 'x \\Deleted', '\\Deleted\\Seen'],
  ...['(\\Deleted)', '\\Deleted \\Seen', '"\\Deleted"', '{8}\r\n\\Deleted', '\\Deleted)\r\nA1 EXPUNGE', '\\*', '\\'],
  ...[
    '\\Flagged \\Deleted',
    '\\Flagged\\Deleted',
    '(\\Flagged \\Deleted)',
    '\\Flagged)',
    ' \\Flagged',
    '\\Flagged\r\n',
  ],
  ...[
    '\\Dеleted',
    '\\Deleted\u200b',
    '\\ＤＥＬＥＴＥＤ',
    '\\ſeen',
    '\\ﬂagged',
    '\\Deleted\0',
    '\\x44eleted',
    '\\u0044eleted',
  ],
  ...['Seen', 'Deleted', 'draft', 'RECENT', 'Answered'],
  '\\Deleted\u0301',
  '\\Junk',
]

const NO_KEYWORD = [
  ...[
    '',
    ' ',
    'a b',
    'a\tb',
    'a\r\nb',
    'a\nb',
    'a\rb',
    'a\0b',
    'x\r\nA9 UID STORE 1 +FLAGS (\\Deleted)'.replace('\\', ''),
  ],
  ...['(x)', 'x)', '(', '"x"', 'x"', '{3}', '{3+}\r\nabc', 'x%', '*', 'x]', 'ü', 'ｋey', 'key\u200b', '💌', 'x\u007f'],
  ...['k'.repeat(101), '＼Deleted', '∖Deleted', '⧵Seen', '﹨Seen'],
]

describe.each(['add', 'remove', 'replace'])('%s', (mode) => {
  test.each(FORBIDDEN)('%j is a system flag and forbidden', async (tag) => {
    expect(await agent.ask('mark_tagged', call([tag], mode))).toMatchObject({
      decision: 'DENY',
      reason: 'forbidden_system_flag',
    })
    expect(await agent.ask('mark_tagged', call(['fine', tag], mode))).toMatchObject({ reason: 'forbidden_system_flag' })
    expect(await flags()).toEqual(KEPT)
  })

  test.each(NO_KEYWORD)('%j is no keyword', async (tag) => {
    expect(await agent.refusal('mark_tagged', call(['fine', tag], mode))).toMatchObject({ code: -32602 })
    expect(await flags()).toEqual(KEPT)
  })
})

test.each([[1], [null], [['x']], [{ tag: 'x' }]])('%j is no tag at all', async (tag) => {
  expect(await agent.refusal('mark_tagged', call([tag]))).toMatchObject({ code: -32602 })
})

test('keywords come and go, each in one piece', async () => {
  const plain = ['$Label1', 'a.b-c_d', 'Seen.', 'NotDeleted', 'A1', 'x,y', '+FLAGS']
  expect(await agent.ask('mark_tagged', call(plain))).toMatchObject({ result: 'OK' })
  expect(await flags()).toEqual([...KEPT, ...plain].toSorted())
  await agent.ask('mark_tagged', call(plain, 'remove'))
  expect(await flags()).toEqual(KEPT)
})

test('keywords that not every mail program can read do, too', async () => {
  const odd = ["it's", '[x', '~', '}', '<>', '`']
  const { flags: now } = await agent.ask('mark_tagged', call(odd))
  expect((now as string[]).filter((flag) => flag !== '\\Recent').toSorted()).toEqual([...KEPT, ...odd].toSorted())
  await agent.ask('mark_tagged', call(odd, 'remove'))
  expect(await flags()).toEqual(KEPT)
})

test('replacing takes away keywords and \\Flagged only', async () => {
  const answer = await agent.ask('mark_tagged', call(['new'], 'replace'))
  expect(answer).toMatchObject({ result: 'OK', flags: expect.arrayContaining(['new', '\\Seen']) })
  expect(await flags()).toEqual(['\\Answered', '\\Draft', '\\Seen', 'new'])
  await agent.ask('mark_tagged', call(['\\FLAGGED', 'new'], 'replace'))
  expect(await flags()).toEqual(['\\Answered', '\\Draft', '\\Flagged', '\\Seen', 'new'])
  await agent.ask('mark_tagged', call([], 'replace'))
  expect(await flags()).toEqual(['\\Answered', '\\Draft', '\\Seen'])
  await agent.ask('mark_tagged', call(['flagged']))
  expect(await flags()).toEqual(['\\Answered', '\\Draft', '\\Flagged', '\\Seen'])
})

test('several messages at once, up to 500 of one folder', async () => {
  const more = await stage.put('ada', 'INBOX', [letter({}), letter({})])
  const many = { account: 'ada', folder: 'INBOX', uids: [uid, ...more] }
  const { results } = await agent.ask('mark_seen', { ...many, seen: true })
  expect(results).toMatchObject(many.uids.map((each) => ({ uid: each, result: 'OK' })))
  await agent.ask('mark_tagged', { ...many, tags: ['all'], mode: 'replace' })
  const client = await stage.client('ada')
  for (const each of more) expect(await client.flags('INBOX', each)).toEqual(expect.arrayContaining(['\\Seen', 'all']))
  expect(await flags()).toEqual(['\\Answered', '\\Draft', '\\Seen', 'all'])
  expect(await agent.ask('mark_tagged', { ...many, tags: ['Deleted'], mode: 'add' })).toMatchObject({
    ...{ decision: 'DENY', reason: 'forbidden_system_flag' },
  })
  expect(await agent.ask('mark_seen', { ...many, uidvalidity: 1, seen: true })).toMatchObject({
    error_type: 'uid_stale',
  })
  const shy = await stage.as('shy')
  expect(await shy.ask('mark_seen', { ...many, seen: false })).toMatchObject({ missing_capability: 'mark_seen' })
  for (const wrong of [{ uid }, { uids: [] }, { uids: Array.from({ length: 501 }, (_, at) => at + 1) }]) {
    expect(await agent.refusal('mark_seen', { ...many, ...wrong, seen: true })).toMatchObject({ code: -32602 })
  }
})

test('seen is for mark_seen, both ways', async () => {
  const seen = (on: boolean) => agent.ask('mark_seen', { account: 'ada', folder: 'INBOX', uid, seen: on })
  expect(await seen(false)).toMatchObject({ result: 'OK' })
  expect(await flags()).toEqual(KEPT.filter((flag) => flag !== '\\Seen'))
  expect(await seen(true)).toMatchObject({ result: 'OK', flags: expect.arrayContaining(['\\Seen']) })
  expect(await flags()).toEqual(KEPT)
})

test('nothing is written without its capability, and the answer names it', async () => {
  const shy = await stage.as('shy')
  const one = { account: 'ada', folder: 'INBOX', uid }
  const inbox = { account: 'ada', folder: 'INBOX' }
  const expected = {
    mark_seen: [{ ...one, seen: false }, 'mark_seen'],
    mark_tagged: [{ ...one, tags: ['x'], mode: 'add' }, 'mark_tagged'],
    move: [{ source: one, target: inbox }, 'move_out'],
    copy: [{ source: one, target: inbox }, 'accept_incoming'],
    create_draft: [{ ...inbox, rfc822: 'Subject: x\r\n\r\n' }, 'draft_append'],
  } as const
  for (const [tool, [args, missing]] of Object.entries(expected)) {
    const answer = { decision: 'DENY', reason: 'capability_missing', missing_capability: missing }
    expect(await shy.ask(tool, args)).toMatchObject(answer)
  }
  expect(await flags()).toEqual(KEPT)
})
