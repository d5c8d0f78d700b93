/** Who a message is from, as rules see it: nothing that only looks like a trusted sender opens anything. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Agent, granting, type Stage, startStage, uniform } from './stage.ts'

/** Header lines of messages that are not, or not only, from friend.example. */
const NOT_FRIENDS: readonly string[] = [
  'From: a@friend.example <evil@evil.example>',
  'From: "a@friend.example" <evil@evil.example>',
  'From: "a@friend.example"@evil.example',
  'From: <@friend.example:evil@evil.example>',
  'From: evil@evil.example (a@friend.example)',
  'From: evil@evil.example, a@friend.example',
  'From: a@friend.example, evil@evil.example',
  'From: a@friend.example\r\nFrom: evil@evil.example',
  'From: evil@evil.example\r\nFrom: a@friend.example',
  'From: a@friend.example\r\nfROM : evil@evil.example',
  'From: a@sub.friend.example',
  'From: a@friend.example.evil.example',
  'From: a@notfriend.example',
  'From: a@friend.example@evil.example',
  'From: a@friend.exampl\u0435',
  'From: a@fri\u0131nd.example',
  'From: a@friend.example\u200b.evil.example',
  'From: =?utf-8?Q?a=40friend.example?= <evil@evil.example>',
  'From: =?utf-8?Q?a=40friend.example=2C?= evil@evil.example',
  'From: evil@evil.example\r\n =?utf-8?Q?a=40friend.example?=',
  'From: <evil@evil.example> <a@friend.example>',
  'From: friends: evil@evil.example, a@friend.example;',
  'From: a@friend.example;evil@evil.example',
  'From: evil@evil.example\\, a@friend.example',
  'From: "a@friend.example, " <evil@evil.example>',
  'From: a%evil.example@evil.example',
  'From: friend.example',
  'From: a@friend.example . evil.example',
  'From: <a@friend.example (x) .evil.example>',
  'From: a@friend.example .evil.example',
  'From: <>',
  'From:',
  'Sender: a@friend.example\r\nFrom: evil@evil.example',
  'Reply-To: a@friend.example\r\nFrom: evil@evil.example',
  'Resent-From: a@friend.example\r\nFrom: evil@evil.example',
  'X-From: a@friend.example',
  'Sender: a@friend.example',
  'Subject: x\r\n\r\nFrom: a@friend.example',
  'To: a@friend.example',
]

const FRIENDS: readonly string[] = [
  'From: a@friend.example',
  'From: A Friend <a@friend.example>',
  'From: "evil@evil.example" <A@FRIEND.EXAMPLE>',
  'From: a@friend.example.',
  'from:a@friend.example',
  'From:\r\n a@friend.example',
  'From: a@friend.example, b@friend.example',
  'From: =?utf-8?Q?evil=40evil.example?= <a@friend.example>',
]

/** From a foe, whoever else and however written. */
const FOES: readonly string[] = [
  'From: x@foe.example',
  'From: X <X@FOE.EXAMPLE>',
  'From: x@foe.example.',
  'From: a@friend.example, x@foe.example',
  'From: x@foe.example, a@friend.example',
  'From: a@friend.example\r\nFrom: x@foe.example',
  'From: x@foe.example\r\nFrom: a@friend.example',
  'From: "a@friend.example" <x@foe.example>',
  'From: x(comment)@(comment)foe.example',
  'From: x @ foe . example',
  'From: Joe <x @ foe . example>',
  'From: Joe <x(c)@foe(c).example>',
  'From: x@foe.\r\n example',
  'From: <x@foe (a(b)c) .example>',
  'From: "x"@foe.example',
  'From: <@relay.example:x@foe.example>',
  'From: group: x@foe.example;',
  'FROM : x@foe.example',
  'From:\r\n\tx@foe.example',
  'From: x@foe\u3002example',
  'From: x@\uff46oe.example',
]

let stage: Stage
let agent: Agent

beforeAll(async () => {
  stage = await startStage({
    callers: { bot: {}, quiet: {} },
    policies: {
      bot: {
        accounts: {
          ada: [
            granting('Impostors', 'friend.example', 'FULL'),
            granting('Friends', 'friend.example', 'FULL'),
            { ...uniform('Foes', 'FULL'), rules: [{ match: { from_domain: 'foe.example' }, cap: 'NONE' }] },
          ],
        },
      },
      quiet: { conceal_hidden: true, accounts: { ada: [granting('Impostors', 'friend.example', 'FULL')] } },
    },
  })
  const messages = (headers: readonly string[]): string[] =>
    headers.map((lines, i) => `X-Number: ${i}\r\n${lines}\r\nMessage-ID: <${i}@x.example>\r\n\r\nwords\r\n`)
  await stage.put('ada', 'Impostors', messages(NOT_FRIENDS))
  await stage.put('ada', 'Friends', messages(FRIENDS))
  await stage.put('ada', 'Foes', messages(FOES))
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

const visible = async (folder: string, headers: readonly string[]): Promise<(string | undefined)[]> => {
  const { uids } = await agent.ask('search', { account: 'ada', folder, limit: 500 })
  return uids.map((uid) => headers[uid - 1]).toReversed()
}

test('no impostor is shown', async () => {
  expect(await visible('Impostors', NOT_FRIENDS)).toEqual([])
  for (const [index, header] of NOT_FRIENDS.entries()) {
    const answer = await agent.ask('fetch_body', { account: 'ada', folder: 'Impostors', uid: index + 1 })
    expect(answer, header).toMatchObject({ decision: 'DENY', reason: 'sender_not_whitelisted' })
  }
})

test('nor counted where that is concealed', async () => {
  const quiet = await stage.as('quiet')
  const stats = await quiet.ask('folder_stats', { account: 'ada', folder: 'Impostors' })
  expect(stats).toMatchObject({ visible_count: 0, hidden_count: null })
})

test('every friend is', async () => {
  expect(await visible('Friends', FRIENDS)).toEqual(FRIENDS)
})

test('no foe is shown', async () => {
  expect(await visible('Foes', FOES)).toEqual([])
  for (const [index, header] of FOES.entries()) {
    const answer = await agent.ask('fetch_body', { account: 'ada', folder: 'Foes', uid: index + 1 })
    expect(answer, header).toMatchObject({ decision: 'DENY', reason: 'sender_blacklisted' })
  }
})
