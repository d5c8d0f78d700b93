/** A mirrored account whose server hangs: the local index answers within the deadline, and says since when it is known. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ADDRESS, emailsOf, inboxSpec, tell } from '../inbox/answers.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, type Stage, startStage } from '../policy/stage.ts'

let stage: Stage
let reader: Agent

beforeAll(async () => {
  const { callers, accounts, ...spec } = inboxSpec(['reader'])
  // Of headers alone: what a search shows of the bodies has to come from the server.
  stage = await startStage({ ...spec, callers, accounts: { ada: { ...accounts?.['ada'], mirror: 'headers' } } })
  await stage.put('ada', 'INBOX', [letter({ subject: 'first' }), letter({ subject: 'second zebra' })])
  reader = await stage.as('reader')
  const mirrored = async (): Promise<void> => {
    const { value } = await tell(reader.postern.client, 'list_emails', { account: ADDRESS })
    expect(value['coverage']).toMatchObject({ source: 'mirror', complete: true })
  }
  await vi.waitFor(mirrored, { timeout: 60_000, interval: 3500 })
  stage.proxy.stall()
})
afterAll(() => stage.close())

const KNOWN_LAST = { source: 'mirror', complete: false, as_of: expect.stringMatching(/^20\d\d-.*Z$/) }

test('a folder is listed as it was known last', async () => {
  const told = await tell(reader.postern.client, 'list_emails', { account: ADDRESS })
  expect(emailsOf(told).map(({ subject }) => subject)).toEqual(['second zebra', 'first'])
  expect(told.value['coverage']).toMatchObject(KNOWN_LAST)
})

test('all folders are searched', async () => {
  const told = await tell(reader.postern.client, 'search_emails', { account: ADDRESS, query: 'subject:zebra' })
  expect(emailsOf(told).map(({ subject }) => subject)).toEqual(['second zebra'])
  expect(told.value['coverage']).toMatchObject(KNOWN_LAST)
})
