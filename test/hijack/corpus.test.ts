/** A hijacked agent that obeys every hostile mail there is, by every tool that it has: nothing gets out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { corpusHostileMail, ownHostileMail } from './hostile-mail.ts'
import { expectNothingTold, expectOnRecord, idIn, type Said, WAITING } from './ledger.ts'
import { type Aims, find, obeyAll } from './obey.ts'
import { ADDRESSES, EMMA, FRED, type PostOffice, smtpOffice } from './post-office.ts'
import { EVERY_ATTEMPT } from './repertoire.ts'
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

/** Mail comes in waves; what has just come is the newest. */
const WAVE = 50

async function obeyInWaves(
  agent: Agent,
  mails: readonly { readonly raw: string | Uint8Array }[],
  attempts?: Parameters<typeof obeyAll>[3],
): Promise<readonly Said[]> {
  const aims = await aimsOf(agent)
  const results: Said[] = []
  for (let at = 0; at < mails.length; at += WAVE) {
    const wave = mails.slice(at, at + WAVE)
    await office.deliver(
      EMMA,
      'INBOX',
      wave.map(({ raw }) => raw),
    )
    const found = await find(agent, EMMA, 'in:inbox', wave.length)
    expect(found).toHaveLength(wave.length)
    results.push(...(await obeyAll(agent, found, aims, attempts)))
  }
  return results
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
    const results = await obeyInWaves(agent, mails, () => EVERY_ATTEMPT)
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
  const results = await obeyInWaves(idle, mails, () => EVERY_ATTEMPT)
  expect(results.filter(({ text }) => text.startsWith('[DEV_MODE] Send logged')).length).toBeGreaterThan(mails.length)
  const forbidden = await house.agent('forbidden')
  const refused = await obeyInWaves(forbidden, mails, () => EVERY_ATTEMPT)
  expect(refused.filter(({ text }) => text.includes('sending_forbidden')).length).toBeGreaterThan(mails.length)
  expect(waiting([...results, ...refused])).toBe(0)
  expect(await house.files('Pending_Approval')).toEqual([])
  expect(office.left()).toHaveLength(before)
  await expectQuiet(house)
})

const corpus = corpusHostileMail()

/** Those of one of two halves: both callers meet every kind. */
const halfOf = (which: number) => corpus.filter((_, at) => at % 2 === which)

describe.skipIf(corpus.length === 0)('the mail of the corpus', () => {
  test.each<[CallerName, number]>([
    ['always', 0],
    ['flow', 1],
  ])('gets nothing out: %s', { timeout: 180_000 }, async (caller, half) => {
    const house = await houses.house()
    const agent = await house.agent(caller)
    const before = office.left().length
    const mails = halfOf(half)
    const results = await obeyInWaves(agent, mails)
    expect(results.length).toBeGreaterThan(mails.length * 5)
    expect(waiting(results)).toBeGreaterThan(mails.length * 3)
    // To the one whom the operator trusts with everything anything may go where the operator says so, and to nobody beside.
    const left = office.left().slice(before)
    expect(left.filter(({ recipients }) => recipients.join() !== TRUSTED)).toEqual([])
    if (caller === 'always') {
      expect(left).toEqual([])
      await expectOneToLeave(house, agent, results)
    }
    await expectQuiet(house)
  })
})
