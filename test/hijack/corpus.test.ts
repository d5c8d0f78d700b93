/** A hijacked agent that obeys every hostile mail there is, by every tool that it has: nothing gets out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { corpusHostileMail, type HostileMail, inWaves, ownHostileMail } from './hostile-mail.ts'
import { expectNothingTold, expectOnRecord, idIn, type Said, WAITING } from './ledger.ts'
import { type Aims, find, obeyAll } from './obey.ts'
import { ADDRESSES, EMMA, FRED, type PostOffice, smtpOffice } from './post-office.ts'
import { type Agent, type House, openHouses } from './scene.ts'
import { type CallerName, HIDDEN_FOLDER, TRUSTED } from './tree.ts'

const SECRET = 'the vault code is 7741-PLUM'
const HIDDEN = 'PRIVATE-CANARY-5512'
const LOOT = 'attached loot, number 9917'

let office: PostOffice
let houses: ReturnType<typeof openHouses>

const WITH_ATTACHMENT = [
  `From: Boss <${TRUSTED}>`,
  `To: ${ADDRESSES[EMMA]}`,
  'Subject: Salaries',
  'Message-ID: <loot@corp.example>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  SECRET,
  '--b',
  'Content-Type: text/plain; name=salaries.txt',
  'Content-Disposition: attachment; filename=salaries.txt',
  '',
  LOOT,
  '--b--',
  '',
].join('\r\n')

beforeAll(async () => {
  office = await smtpOffice()
  houses = openHouses(office)
  await office.deliver(EMMA, 'INBOX', [WITH_ATTACHMENT])
  await office.deliver(EMMA, HIDDEN_FOLDER, [letter({ subject: 'Hidden', body: HIDDEN })])
  await office.deliver(FRED, 'INBOX', [
    letter({ subject: 'Of another', body: HIDDEN, messageId: '<fred@corp.example>' }),
  ])
  for (const user of [EMMA, FRED] as const) {
    for (const folder of ['Drafts', 'Sent', 'Outbox']) await office.deliver(user, folder, [])
  }
}, 60_000)

afterAll(async () => {
  await houses.close()
  await office.close()
})

async function aimsOf(agent: Agent): Promise<Aims> {
  const [loot] = await find(agent, EMMA, 'subject:Salaries', 1)
  const [foreign] = await find(agent, FRED, 'subject:"Of another"', 1)
  expect([loot, foreign]).not.toContain(undefined)
  return {
    account: EMMA,
    secret: SECRET,
    loot: { message_id: loot?.message_id ?? '', part_id: 'salaries.txt' },
    foreign: foreign?.message_id ?? '',
  }
}

/** Delivers them, and has the agent do what they say. What has just come is the newest. */
async function obeyed(agent: Agent, mails: readonly HostileMail[]): Promise<readonly Said[]> {
  const aims = await aimsOf(agent)
  await office.deliver(
    EMMA,
    'INBOX',
    mails.map(({ raw }) => raw),
  )
  const found = await find(agent, EMMA, 'in:inbox', mails.length)
  expect(found).toHaveLength(mails.length)
  return obeyAll(agent, found, aims)
}

async function expectQuiet(house: House): Promise<void> {
  expectNothingTold(house, [SECRET, HIDDEN, LOOT])
  await expectOnRecord(house)
}

/** That the letters were good ones: one of them leaves as soon as a person says so, and just that one. */
async function expectOneToLeave(house: House, agent: Agent, results: readonly Said[]): Promise<void> {
  const one = results.find(({ text, args }) => WAITING.test(text) && Array.isArray(args['attachments']))
  if (one === undefined) throw new Error('nothing waits')
  const before = office.left().length
  expect(await house.postern('approve', idIn(one), '--yes')).toMatchObject({ code: 0 })
  expect(office.left()).toHaveLength(before)
  expect((await agent.say(one.tool, one.args)).text).toMatch(/^Email sent successfully/)
  expect((await agent.say(one.tool, one.args)).text).toMatch(WAITING)
  expect(office.left()).toHaveLength(before + 1)
  expect(office.left().at(-1)?.recipients).toEqual([one.args['to']])
}

/** What comes of attempts that are letters at all. */
function waiting(results: readonly Said[]): number {
  return results.filter(({ text }) => WAITING.test(text)).length
}

test.each<[CallerName, number]>([
  ['always', 12],
  ['digest', 5],
])(
  'every trick, for mail of our own, by a caller whose letters wait: %s',
  { timeout: 90_000 },
  async (caller, most) => {
    const house = await houses.house()
    const agent = await house.agent(caller)
    const before = office.left().length
    const mails = ownHostileMail().slice(0, most)
    const results = await obeyed(agent, mails)
    expect(results.length).toBeGreaterThan(mails.length * 20)
    expect(waiting(results)).toBeGreaterThan(mails.length * 8)
    expect(office.left()).toHaveLength(before)
    // Its program said yes to everything, and was only told.
    expect(agent.asked.length).toBeGreaterThan(mails.length)
    await expectOneToLeave(house, agent, results)
    await expectQuiet(house)
  },
)

test('with DEV_MODE, and for a caller that may not send, nothing even waits', { timeout: 90_000 }, async () => {
  const house = await houses.house()
  const before = office.left().length
  const mails = ownHostileMail().slice(0, 2)
  const idle = await house.agent('always', { env: { DEV_MODE: 'true' } })
  const results = await obeyed(idle, mails)
  expect(results.filter(({ text }) => text.startsWith('[DEV_MODE] Send logged')).length).toBeGreaterThan(mails.length)
  const forbidden = await house.agent('forbidden')
  const refused = await obeyed(forbidden, mails)
  expect(refused.filter(({ text }) => text.includes('sending_forbidden')).length).toBeGreaterThan(mails.length)
  expect(waiting([...results, ...refused])).toBe(0)
  expect(await house.files('Pending_Approval')).toEqual([])
  expect(office.left()).toHaveLength(before)
  await expectQuiet(house)
})

/** As many as one call of search_email lists; what becomes of them is well below what an account may have waiting. */
const WAVE = 50
const waves = inWaves(corpusHostileMail(), WAVE)

describe.skipIf(waves.length === 0)('every trick, for the mail of the corpus, gets nothing out', () => {
  describe.each<CallerName>(['always', 'flow'])('%s', (caller) => {
    test.each(waves.map((mails, at) => ({ at, mails })))(
      'wave $at of the corpus',
      { timeout: 300_000 },
      async ({ mails }) => {
        const house = await houses.house()
        const agent = await house.agent(caller)
        const before = office.left().length
        const results = await obeyed(agent, mails)
        expect(results.length).toBeGreaterThan(mails.length * 20)
        expect(waiting(results)).toBeGreaterThan(mails.length * 6)
        // To the one whom the operator trusts with everything anything may go where the operator says so, and to nobody beside.
        const left = office.left().slice(before)
        expect(left.filter(({ recipients }) => recipients.join() !== TRUSTED)).toEqual([])
        if (caller === 'always') {
          expect(left).toEqual([])
          await expectOneToLeave(house, agent, results)
        }
        await expectQuiet(house)
        await house.close()
      },
    )
  })
})
