/** Under a policy: what is hidden is not there, what is above the level is absent, and limits and logins are told. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { granting, passwordFrom, type Stage, startStage, uniform } from '../policy/stage.ts'
import { ADDRESS, type Arguments, emailsOf, inboxSpec, refusal, tell } from './answers.ts'

let stage: Stage
let ids: ReadonlyMap<string, string>

beforeAll(async () => {
  const spec = inboxSpec(['owner'])
  stage = await startStage({
    ...spec,
    users: ['ada'],
    accounts: {
      ...spec.accounts,
      wrong: { user: 'ada', identity: 'wrong@example.com', auth: { type: 'password', secret_ref: 'secret://wrong' } },
      unseen: { user: 'ada', ...passwordFrom('ada') },
    },
    secrets: { wrong: 'not-the-password' },
    callers: {
      ...spec.callers,
      partly: { policy: 'partly', toolsets: ['inbox'] },
      hasty: { policy: 'partly', toolsets: ['inbox'] },
    },
    policies: {
      ...spec.policies,
      partly: {
        accounts: {
          ada: [granting('INBOX', 'example.org', 'ENVELOPE'), uniform('Flat', 'METADATA'), uniform('Count', 'COUNT')],
          wrong: [uniform('INBOX', 'FULL')],
        },
      },
    },
  })
  await stage.put('ada', 'INBOX', [
    letter({ subject: 'open', body: 'text that is not shown' }),
    letter({ subject: 'closed', from: 'ceo@bank.example' }),
  ])
  await stage.put('ada', 'Flat', [letter({ subject: 'flat' })])
  await stage.put('ada', 'Count', [letter({ subject: 'counted' })])
  await stage.put('ada', 'Secret', [letter({ subject: 'unheard of' })])
  const { client } = (await stage.as('owner')).postern
  const all = await Promise.all(
    ['inbox', 'Flat', 'Count', 'Secret'].map((folder) => tell(client, 'list_emails', { account: ADDRESS, folder })),
  )
  ids = new Map(all.flatMap(emailsOf).map(({ subject = '', id }) => [subject, id]))
})
afterAll(() => stage.close())

const told = async (tool: string, args: Arguments) =>
  tell((await stage.as('partly')).postern.client, tool, { account: ADDRESS, ...args })
const refused = async (tool: string, args: Arguments) =>
  refusal((await stage.as('partly')).postern.client, tool, { account: ADDRESS, ...args })

test('a hidden message, one in a hidden folder and one that is not there are the same', async () => {
  const absent = ids.get('open')?.replace(/\d+$/, '999')
  const answers = await Promise.all(
    [ids.get('closed'), ids.get('unheard of'), absent].map((email_id) => refused('read_email', { email_id })),
  )
  const seen = answers.map(({ code, message, data }) => ({ code, message, data: { ...data, meta: null } }))
  expect(seen[0]).toMatchObject({ code: -32001, data: { code: 'not_found' } })
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
})

test('folders and accounts that are not for the caller are not named', async () => {
  const folder = await refused('list_emails', { folder: 'Secret' })
  expect(folder).toMatchObject({ code: -32001, message: 'there is no such folder; there are: Count, Flat, INBOX' })
  expect(await refused('list_emails', { folder: 'Nowhere' })).toMatchObject({ code: -32001, message: folder.message })
  const account = await refused('list_emails', { account: 'unseen' })
  expect(account).toMatchObject({ code: -32002, message: expect.not.stringContaining('unseen') })
})

test('a body above the level is absent, and the answer says so', async () => {
  const { text, value } = await told('read_email', { email_id: ids.get('open') })
  expect(text).toContain('\n--- Body ---\n(you may not see the body)')
  expect(JSON.stringify([text, value])).not.toContain('text that is not shown')
  expect(value['redacted_fields']).toContain('text')
})

test('rows show no more than their level', async () => {
  const { text, value } = await told('list_emails', { folder: 'Flat' })
  expect(text).toMatch(
    /^Found 1 emails:\n\nID: \S+\nUnread: true\nStarred: false\n---\nNot shown to you, of some at least: /,
  )
  expect(value['emails']).toEqual([{ id: expect.any(String), folder: 'Flat', unread: true, starred: false }])
})

test('too low a level is refused with the reason', async () => {
  const reason = (level: string) => ({ code: -32602, data: { details: { reason: `visibility_below_${level}` } } })
  expect(await refused('list_emails', { folder: 'Count' })).toMatchObject(reason('METADATA'))
  expect(await refused('read_email', { email_id: ids.get('flat') })).toMatchObject(reason('ENVELOPE'))
  expect(await refused('get_attachment', { email_id: ids.get('open'), attachment_id: '1' })).toMatchObject(
    reason('FULL'),
  )
})

test('a login that is refused says how to sign in', async () => {
  const answer = await refused('list_emails', { account: 'wrong@example.com' })
  expect(answer).toMatchObject({ code: -32002, data: { code: 'auth_failed' } })
  expect(answer.message).toMatch(/^Authentication required: .*postern oauth/)
})

test('too many calls in a minute are told how long to wait', async () => {
  const { client } = (await stage.as('hasty')).postern
  const search = { account: ADDRESS, query: 'nothing' }
  for (let i = 0; i < 10; i++) await tell(client, 'search_emails', search)
  const answer = await refusal(client, 'search_emails', search)
  expect(answer).toMatchObject({ code: -32029, data: { code: 'rate_limited' } })
  expect(answer.message).toMatch(/^Rate limit exceeded\. Try again in ([1-9]|[1-5]\d|60) seconds\.$/)
})
