/** `create_draft` with `reply_to`: quoted and threaded, from messages that the caller may read alone. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { type Agent, granting, passwordFrom, type Stage, startStage, uniform } from './stage.ts'

let stage: Stage
let agent: Agent
let uids: readonly number[]

beforeAll(async () => {
  stage = await startStage({
    accounts: { ada: { user: 'ada', identity: 'ada@example.com', ...passwordFrom('ada') } },
    callers: { bot: {} },
    policies: {
      bot: {
        accounts: {
          ada: [
            uniform('Drafts', 'FULL', { draft_append: true }),
            granting('INBOX', 'example.org', 'BODY'),
            uniform('Work/Plans', 'BODY'),
            uniform('Brief', 'ENVELOPE'),
          ],
        },
      },
    },
  })
  await stage.put('ada', 'Drafts', [])
  uids = await stage.put('ada', 'INBOX', [
    letter({
      ...{ subject: 'Re: plans', from: 'Zoë <zoe@example.org>', messageId: '<c@example.org>', body: 'Shall we?' },
      extra: ['References: <a@example.org> <b@example.org>'],
    }),
    letter({ subject: 'secret', from: 'ceo@bank.example', body: 'SECRET' }),
  ])
  await stage.put('ada', 'Work/Plans', [letter({ subject: 'the plan', from: 'Max <max@example.net>', body: 'Plan B' })])
  await stage.put('ada', 'Brief', [letter({ subject: 'short' })])
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

const draft = (more: object) => ({ account: 'ada', folder: 'Drafts', ...more })

async function written(more: object): Promise<string> {
  const { result, uid } = await agent.ask('create_draft', draft(more))
  expect(result).toBe('OK')
  const { imap } = await stage.client('ada')
  await imap.mailboxOpen('Drafts')
  const found = await imap.fetchOne(String(uid), { source: true }, { uid: true })
  return found ? String(found.source) : ''
}

test('the original is quoted, and the thread and the subject follow it', async () => {
  const rfc822 = 'To: zoe@example.org\nCc: Max <max@example.net>\nSubject: plans\n\nYes, at noon.\n'
  const source = await written({ rfc822, reply_to: uids[0] })
  expect(source).toMatch(/^From: ada@example\.com\r\n/m)
  expect(source).toMatch(/^To: zoe@example\.org\r\n/m)
  expect(source).toMatch(/^Cc: Max <max@example\.net>\r\n/m)
  expect(source).toMatch(/^Subject: Re: plans\r\n/m)
  expect(source).toMatch(/^In-Reply-To: <c@example\.org>\r\n/m)
  expect(source.replace(/\r\n /g, ' ')).toContain('References: <a@example.org> <b@example.org> <c@example.org>\r\n')
  expect(source).toMatch(/Yes, at noon\.[\s\S]*wrote:\r\n> ?Shall we\?/)
})

test('without To and Subject it goes to the sender, also from a folder below another', async () => {
  const source = await written({ rfc822: '\n\nAgreed.', reply_to: 1, reply_to_folder: 'Work/Plans' })
  expect(source).toMatch(/^To: Max <max@example\.net>\r\n/m)
  expect(source).toMatch(/^Subject: Re: the plan\r\n/m)
  expect(source).toMatch(/Agreed\.[\s\S]*> ?Plan B/)
})

test('nothing is taken from a message that the caller may not read', async () => {
  const rfc822 = 'To: zoe@example.org\n\nHm.'
  expect(await agent.ask('create_draft', draft({ rfc822, reply_to: uids[1] }))).toMatchObject({
    ...{ result: 'ERROR', error_type: 'uid_not_found' },
  })
  expect(await agent.ask('create_draft', draft({ rfc822, reply_to: uids[0], uidvalidity: 1 }))).toMatchObject({
    ...{ result: 'ERROR', error_type: 'uid_stale' },
  })
  const brief = await agent.refusal('create_draft', draft({ rfc822, reply_to: 1, reply_to_folder: 'Brief' }))
  expect(brief).toMatchObject({ code: -32602, message: expect.stringContaining('visibility_below_BODY') })
})

test.each([
  ['a field that could not be kept', 'X-Mine: 1\n\nHi', /no X-Mine field/],
  ['an HTML body', 'Content-Type: text/html\n\n<p>Hi</p>', /plain text in UTF-8/],
  ['another charset', 'Content-Type: text/plain; charset=iso-8859-1\n\nHi', /plain text in UTF-8/],
  ['an address that is none', 'To: nobody\n\nHi', /the To field of rfc822/],
])('%s is refused', async (_what, rfc822, message) => {
  const { code, message: said } = await agent.refusal('create_draft', draft({ rfc822, reply_to: uids[0] }))
  expect([code, said]).toEqual([-32602, expect.stringMatching(message)])
})
