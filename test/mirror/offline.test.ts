/** A mirrored account whose server cannot be reached: what was known last is told, and that it is. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ADDRESS, emailsOf, inboxSpec, refusal, tell } from '../inbox/answers.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, type Stage, startStage } from '../policy/stage.ts'

let stage: Stage
let reader: Agent
let ruled: Agent

beforeAll(async () => {
  const { callers, accounts, ...spec } = inboxSpec(['reader'])
  stage = await startStage({
    ...spec,
    accounts: { ada: { ...accounts?.['ada'], mirror: 'full' } },
    callers: { ...callers, ruled: { ...callers['reader'], toolsets: ['policy', 'imap'] } },
  })
  await stage.put('ada', 'INBOX', [
    letter({ subject: 'first', body: 'about the zebra' }),
    letter({ subject: 'second' }),
  ])
  await stage.put('ada', 'Archive', [letter({ subject: 'kept' })])
  reader = await stage.as('reader')
  ruled = await stage.as('ruled')
  for (const folder of ['INBOX', 'Archive']) {
    await vi.waitFor(async () => expect(await coverageOf(folder)).toMatchObject({ source: 'mirror' }), 60_000)
  }
  await stage.dovecot.pause()
  // Those that are connected already would not notice.
  stage.proxy.hangUp()
})
afterAll(() => stage.close())

const coverage = (more: object): object => ({ source: 'mirror', ...more })
const AWAY = coverage({ complete: false, as_of: expect.stringMatching(/^20\d\d-.*Z$/), notes: [expect.any(String)] })

/** Asked in the set that has no limits. */
async function coverageOf(folder: string): Promise<unknown> {
  return (await ruled.ask('search', { account: 'ada', folder, query: ' ' }))['coverage']
}

test('a folder is listed as it was known last', async () => {
  const told = await tell(reader.postern.client, 'list_emails', { account: ADDRESS })
  expect(emailsOf(told).map(({ subject }) => subject)).toEqual(['second', 'first'])
  expect(told.value['coverage']).toMatchObject(AWAY)
  expect(told.text).toMatch(/Coverage: .*cannot be reached/)
})

test('all folders are searched, bodies too', async () => {
  const told = await tell(reader.postern.client, 'search_emails', { account: ADDRESS, query: 'zebra' })
  expect(emailsOf(told).map(({ subject }) => subject)).toEqual(['first'])
  expect(told.value['coverage']).toMatchObject(AWAY)
})

test('a policy is held to as ever', async () => {
  const found = await ruled.ask('search', { account: 'ada', folder: 'INBOX', query: 'subject:second' })
  expect(found).toMatchObject({
    decision: 'ALLOW',
    matched_visible: 1,
    coverage: { source: 'mirror', complete: false },
  })
  expect(await ruled.ask('folder_stats', { account: 'ada', folder: 'Archive' })).toMatchObject({
    visible_count: 1,
    coverage: AWAY,
  })
})

test('a set that has no word for what an answer rests on says it as an issue', async () => {
  const where = { account_id: 'ada', mailbox: 'INBOX' }
  const { summary, data } = await ruled.postern.call('imap_search_messages', { ...where, subject: 'second' })
  expect(data).toMatchObject({
    status: 'partial',
    total: 1,
    returned: 1,
    failed: 0,
    issues: [
      { code: 'unavailable', stage: 'mirror', retryable: true, message: expect.stringMatching(/known .* 20\d\d-/) },
    ],
  })
  expect(summary).toMatch(/^1 message\(s\) returned of 1 that match; the mail server cannot be reached/)
})

test('mailboxes are listed as they were known last, and said to be', async () => {
  const { summary, data } = await ruled.postern.call('imap_list_mailboxes', { account_id: 'ada' })
  expect(data).toMatchObject({ status: 'partial', issues: [{ code: 'unavailable', stage: 'mirror', retryable: true }] })
  expect(summary).toMatch(/^\d+ mailbox\(es\); the mail server cannot be reached/)
})

test('a message itself is not there', async () => {
  const [first] = emailsOf(await tell(reader.postern.client, 'list_emails', { account: ADDRESS }))
  const refused = await refusal(reader.postern.client, 'read_email', { account: ADDRESS, email_id: first?.id })
  expect(refused.code).toBe(-32603)
})
