/** A message that is hidden from a caller cannot be brought into its sight by that caller, whatever it changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contents, uidvalidityOf } from '../imap/harness.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, ALL_CAPABILITIES, type Folder, granting, type Stage, startStage, uniform } from './stage.ts'

const STARRED: Folder = {
  ...granting('Starred', 'friend.example', 'ENVELOPE', ALL_CAPABILITIES),
  rules: [
    { match: { flagged: true }, grant: 'FULL' },
    { match: { from_domain: 'friend.example' }, grant: 'ENVELOPE' },
  ],
}

/** Here a flag takes away instead of giving. */
const DIMMED: Folder = {
  ...uniform('Dimmed', 'FULL', ALL_CAPABILITIES),
  rules: [{ match: { flagged: true }, cap: 'NONE' }],
}

const FOLDERS: readonly Folder[] = [
  granting('INBOX', 'friend.example', 'ENVELOPE', ALL_CAPABILITIES),
  uniform('Blind', 'NONE', ALL_CAPABILITIES),
  uniform('Open', 'FULL', ALL_CAPABILITIES),
  uniform('Counted', 'COUNT', ALL_CAPABILITIES),
  uniform('Raising', 'FULL', { ...ALL_CAPABILITIES, may_raise: true }),
  granting('Friends', 'friend.example', 'FULL', ALL_CAPABILITIES),
  granting('Strangers', 'stranger.example', 'COUNT', ALL_CAPABILITIES),
  STARRED,
  DIMMED,
]

let stage: Stage
let agent: Agent
/** Of what is put into every folder anew for each test. */
let friend: number
let stranger: number

beforeAll(async () => {
  stage = await startStage({
    users: ['ada', 'bob'],
    callers: { bot: { toolsets: ['policy', 'imap'] } },
    policies: { bot: { accounts: { ada: FOLDERS, bob: [uniform('INBOX', 'FULL', ALL_CAPABILITIES)] } } },
  })
  for (const { path } of FOLDERS) await stage.put('ada', path, [])
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

beforeEach(async () => {
  ;[friend = 0] = await stage.put('ada', 'INBOX', [letter({ from: 'f@friend.example', subject: 'from a friend' })])
  ;[stranger = 0] = await stage.put('ada', 'INBOX', [
    letter({ from: 's@stranger.example', subject: 'from a stranger' }),
  ])
})

const subjectsIn = async (folder: string): Promise<string[]> =>
  (await contents(await stage.client('ada'), folder)).map(({ subject }) => subject)

const relocate = (tool: string, folder: string, uid: number, to: string, account = 'ada') =>
  agent.ask(tool, { source: { account: 'ada', folder, uid }, target: { account, folder: to } })

const imapId = async (folder: string, uid: number): Promise<string> =>
  `imap:ada:${folder}:${await uidvalidityOf(await stage.client('ada'), folder)}:${uid}`

describe.each(['copy', 'move'])('%s', (tool) => {
  test.each([
    ['a friend’s letter into a folder that shows all', 'Open', () => friend],
    ['a stranger’s letter into a folder that shows all', 'Open', () => stranger],
    ['a stranger’s letter into a folder where it would count', 'Counted', () => stranger],
    ['a stranger’s letter by a rule that counts it', 'Strangers', () => stranger],
    ['a friend’s letter by a rule that shows more', 'Friends', () => friend],
  ])('%s is refused', async (_what, to, uid) => {
    const before = await subjectsIn(to)
    expect(await relocate(tool, 'INBOX', uid(), to)).toMatchObject({
      decision: 'DENY',
      reason: 'visibility_would_rise',
    })
    expect(await subjectsIn(to)).toEqual(before)
    expect((await contents(await stage.client('ada'), 'INBOX')).map((one) => one.uid)).toContain(uid())
  })

  test.each([
    ['into a folder that shows none', 'Blind', () => stranger],
    ['into a folder that shows less', 'Counted', () => friend],
    ['into a folder whose rules show no more', 'Friends', () => stranger],
    ['into a folder that may raise', 'Raising', () => stranger],
    ['into a folder that may raise', 'Raising', () => friend],
  ])('%s is done', async (_what, to, uid) => {
    const before = (await subjectsIn(to)).length
    expect(await relocate(tool, 'INBOX', uid(), to)).toMatchObject({ result: 'OK', target_folder: to })
    expect(await subjectsIn(to)).toHaveLength(before + 1)
  })

  test('also with the uidvalidity, and from a folder in which every message is hidden', async () => {
    const [uid = 0] = await stage.put('ada', 'Blind', [letter({ subject: 'in the dark' })])
    const uidvalidity = await uidvalidityOf(await stage.client('ada'), 'Blind')
    const source = { account: 'ada', folder: 'Blind', uid, uidvalidity }
    for (const folder of ['Open', 'Counted']) {
      const answer = await agent.ask(tool, { source, target: { account: 'ada', folder } })
      expect(answer).toMatchObject({ reason: 'visibility_would_rise' })
      expect(await subjectsIn(folder)).not.toContain('in the dark')
    }
  })

  test('a message that is not there is not found before anything is asked about its level', async () => {
    expect(await relocate(tool, 'Blind', 4_000_000_000, 'Open')).toMatchObject({ error_type: 'uid_not_found' })
  })
})

test('a copy to another account is bound by the same', async () => {
  expect(await relocate('copy', 'INBOX', stranger, 'INBOX', 'bob')).toMatchObject({ reason: 'visibility_would_rise' })
  expect(await contents(await stage.client('bob'), 'INBOX')).toEqual([])
})

describe('by the imap set', () => {
  test.each(['imap_copy_message', 'imap_move_message'])('%s', async (tool) => {
    const visible = { message_id: await imapId('INBOX', friend), destination_mailbox: 'Open' }
    expect(await agent.postern.refusal(tool, visible)).toMatchObject({
      code: -32602,
      data: { details: { reason: 'visibility_would_rise' } },
    })
    for (const destination_mailbox of ['Open', 'Blind', 'Raising']) {
      const hidden = { message_id: await imapId('INBOX', stranger), destination_mailbox }
      const missing = { message_id: await imapId('INBOX', 4_000_000_000), destination_mailbox }
      const [one, other] = [await agent.postern.refusal(tool, hidden), await agent.postern.refusal(tool, missing)]
      expect(one).toMatchObject({ code: -32002, data: { code: 'not_found' } })
      expect(one.message.replace(String(stranger), '4000000000')).toBe(other.message)
    }
    expect(await subjectsIn('Open')).not.toContain('from a stranger')
    const raised = { message_id: await imapId('INBOX', friend), destination_mailbox: 'Raising' }
    expect((await agent.postern.call(tool, raised)).data.status).toBe('ok')
  })
})

describe('by a flag', () => {
  const put = async (folder: string, flags: string[], from = 's@stranger.example'): Promise<number> =>
    (await stage.put('ada', folder, [{ raw: letter({ from, subject: 'flag me' }), flags }]))[0] ?? 0
  const tag = (folder: string, uid: number, tags: string[], mode: string) =>
    agent.ask('mark_tagged', { account: 'ada', folder, uid, tags, mode })
  const flagsOf = async (folder: string, uid: number) =>
    (await (await stage.client('ada')).flags(folder, uid)).filter((flag) => flag !== '\\Recent')

  test.each(['\\Flagged', '\\FLAGGED', '\\flagged'])(
    '%s cannot be set where it would show the message',
    async (flag) => {
      for (const from of ['s@stranger.example', 'f@friend.example']) {
        const uid = await put('Starred', [], from)
        for (const mode of ['add', 'replace']) {
          expect(await tag('Starred', uid, ['x', flag], mode)).toMatchObject({ reason: 'visibility_would_rise' })
        }
        expect(await flagsOf('Starred', uid)).toEqual([])
        const args = { message_id: await imapId('Starred', uid), add_flags: [flag] }
        expect((await agent.postern.refusal('imap_update_message_flags', args)).code).toBeLessThan(0)
        expect(await flagsOf('Starred', uid)).toEqual([])
      }
    },
  )

  test('several at once are judged one by one', async () => {
    const hidden = await put('Starred', [])
    const starred = await put('Starred', ['\\Flagged'])
    const many = { account: 'ada', folder: 'Starred', uids: [hidden, starred, 4_000_000_000, hidden] }
    const answer = await agent.ask('mark_tagged', { ...many, tags: ['flagged', 'x'], mode: 'add' })
    expect(answer).toMatchObject({
      decision: 'ALLOW',
      uidvalidity: expect.any(Number),
      results: [
        { uid: hidden, result: 'DENY', reason: 'visibility_would_rise' },
        { uid: starred, result: 'OK', flags: expect.arrayContaining(['\\Flagged', 'x']) },
        { uid: 4_000_000_000, result: 'ERROR', error_type: 'uid_not_found' },
      ],
    })
    expect(answer['results']).toHaveLength(3)
    expect(await flagsOf('Starred', hidden)).toEqual([])
    const seen = await agent.ask('mark_seen', { ...many, seen: true })
    // Of a message that is hidden the flags are not told, though they may be changed.
    expect(seen['results']).toMatchObject([
      { uid: hidden, result: 'OK', flags: null },
      { uid: starred, result: 'OK', flags: expect.arrayContaining(['\\Seen']) },
      { result: 'ERROR' },
    ])
    const records = await stage.audit()
    const refused = /"decision":"DENY"[^\n]*"reason":"visibility_would_rise"[^\n]*"tool":"mark_tagged"/
    expect(records.split('\n').some((line) => refused.test(line) && line.includes(`"uid":[${hidden}]`))).toBe(true)
  })

  test('it cannot be taken away where it hides the message', async () => {
    const uid = await put('Dimmed', ['\\Flagged'])
    expect(await tag('Dimmed', uid, ['\\Flagged'], 'remove')).toMatchObject({ reason: 'visibility_would_rise' })
    expect(await tag('Dimmed', uid, [], 'replace')).toMatchObject({ reason: 'visibility_would_rise' })
    expect(await tag('Dimmed', uid, ['x'], 'replace')).toMatchObject({ reason: 'visibility_would_rise' })
    expect(await flagsOf('Dimmed', uid)).toEqual(['\\Flagged'])
  })

  test('what shows less, or as much, may be done', async () => {
    const starred = await put('Starred', ['\\Flagged'])
    expect(await tag('Starred', starred, ['x'], 'add')).toMatchObject({ result: 'OK', visibility_applied: 'FULL' })
    expect(await tag('Starred', starred, ['\\Flagged'], 'remove')).toMatchObject({ result: 'OK' })
    expect(await tag('Starred', starred, ['\\Flagged'], 'add')).toMatchObject({ reason: 'visibility_would_rise' })
    const plain = await put('Starred', [])
    expect(await tag('Starred', plain, ['x'], 'add')).toMatchObject({ result: 'OK', flags: null })
    const seen = { account: 'ada', folder: 'Starred', uid: plain, seen: true }
    expect(await agent.ask('mark_seen', seen)).toMatchObject({ result: 'OK', flags: null })
  })

  test('a message cannot be flagged elsewhere first and brought in then', async () => {
    const uid = await put('Blind', [])
    expect(await tag('Blind', uid, ['\\Flagged'], 'add')).toMatchObject({ result: 'OK' })
    for (const tool of ['copy', 'move']) {
      expect(await relocate(tool, 'Blind', uid, 'Starred')).toMatchObject({ reason: 'visibility_would_rise' })
    }
    const marked = await put('Dimmed', ['\\Flagged'])
    expect(await relocate('copy', 'Dimmed', marked, 'Open')).toMatchObject({ reason: 'visibility_would_rise' })
  })
})
