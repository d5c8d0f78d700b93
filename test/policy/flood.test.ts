/** Mail made to cost more to look at than to send: the rest of the folder is seen as ever, and it is hidden. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, startStage } from './stage.ts'

const friend = (subject: string): string =>
  `From: a@friend.example\r\nTo: me@own.example\r\nSubject: ${subject}\r\n\r\nhello\r\n`
const crowd = (field: string): string =>
  Array.from({ length: 4 }, () => `${field}: ${'a@friend.example,'.repeat(3500)}`).join('\r\n')
const manySenders = `${crowd('From')}\r\nTo: me@own.example\r\nSubject: senders\r\n\r\nhello\r\n`
const manyRecipients = `From: a@friend.example\r\nTo: me@own.example\r\n${crowd('Cc')}\r\nSubject: many\r\n\r\nhello\r\n`
const bomb =
  'From: a@friend.example\r\nSubject: bomb\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n' +
  `From: ${'a,'.repeat(70_000)}\r\n\r\nhi\r\n`

let stage: Stage
beforeAll(async () => {
  const folder = (path: string, rules: readonly object[]) =>
    ({ path, mode: 'blacklist', default: 'FULL', rules }) as const
  stage = await startStage({
    callers: { bot: {} },
    policies: {
      bot: {
        accounts: {
          ada: [
            folder('INBOX', [{ match: { from_domain: 'evil.example' }, cap: 'NONE' }]),
            folder('To', [{ match: { to: 'boss@own.example' }, cap: 'NONE' }]),
            folder('Parts', [{ match: { has_attachment: true }, cap: 'ENVELOPE' }]),
            folder('Open', []),
          ],
        },
      },
    },
    users: ['ada'],
  })
  const mails = [friend('first'), manySenders, manyRecipients, friend('last')]
  await stage.put('ada', 'INBOX', [...mails, ...Array.from({ length: 60 }, () => manySenders)])
  await stage.put('ada', 'To', mails)
  for (const name of ['Parts', 'Open']) await stage.put('ada', name, [friend('first'), bomb, friend('last')])
})
afterAll(() => stage?.close())

test('others are answered while a folder full of it is looked at', async () => {
  const { ask } = await stage.as('bot')
  await ask('get_caller_identity')
  let [answered, done] = [0, false]
  const stats = ask('folder_stats', { account: 'ada', folder: 'INBOX' }).finally(() => {
    done = true
  })
  while (!done) {
    await ask('get_caller_identity')
    answered += 1
  }
  expect(await stats).toMatchObject({ visible_count: 3, hidden_count: 61 })
  expect(answered).toBeGreaterThan(3)
})

test('a rule sees what it needs and no more: too many recipients matter only to a rule about them', async () => {
  const { ask } = await stage.as('bot')
  expect((await ask('search', { account: 'ada', folder: 'INBOX' })).uids).toHaveLength(3)
  expect([...(await ask('search', { account: 'ada', folder: 'To' })).uids].sort()).toEqual([1, 2, 4])
  const found = await ask('search', { account: 'ada', folder: 'INBOX', criteria: { to: 'me@own.example' } })
  expect([...found.uids].sort()).toEqual([1, 4])
})

test('one that cannot be taken apart hides where parts matter, and nothing else', async () => {
  const { ask } = await stage.as('bot')
  const seen = async (folder: string) =>
    (await ask('list_messages', { account: 'ada', folder })).messages.map(({ uid }) => uid).sort()
  expect(await seen('Parts')).toEqual([1, 3])
  expect(await seen('Open')).toEqual([1, 2, 3])
  const other = await ask('fetch_body', { account: 'ada', folder: 'Parts', uid: 1 })
  expect(other['text_body']).toContain('hello')
  expect(await ask('fetch_body', { account: 'ada', folder: 'Open', uid: 2 })).toMatchObject({
    error_type: 'fetch_failed',
  })
})
