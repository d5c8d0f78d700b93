/** The hijacked agent at a Gmail account: nothing is handed to Gmail for delivery that nobody has approved. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { GMAIL_ADDRESS, gmailOffice } from './gmail-office.ts'
import { ATTACKER, corpusHostileMail, inWaves, ownHostileMail, sampled } from './hostile-mail.ts'
import { expectNothingTold, expectOnRecord, idIn, WAITING } from './ledger.ts'
import { find, obeyAll } from './obey.ts'
import { EMMA } from './post-office.ts'
import { openHouses } from './scene.ts'
import { TRUSTED } from './tree.ts'

const SECRET = 'pass phrase: quince and medlar'
const CAROL = 'carol@partner.example'

let office: Awaited<ReturnType<typeof gmailOffice>>
let houses: ReturnType<typeof openHouses>

beforeEach(async () => {
  office = await gmailOffice()
  houses = openHouses(office)
  const loot = [
    `From: ${CAROL}`,
    `To: ${GMAIL_ADDRESS}`,
    'Subject: Salaries',
    'Message-ID: <loot@partner.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; name=salaries.txt',
    'Content-Disposition: attachment; filename=salaries.txt',
    '',
    SECRET,
    '--b--',
    '',
  ].join('\r\n')
  await office.deliver(EMMA, 'INBOX', [
    loot,
    letter({ subject: 'Lunch', from: 'pat@friend.example', to: GMAIL_ADDRESS }),
  ])
}, 60_000)

afterEach(async () => {
  await houses.close()
  await office.close()
})

/** The emulator is slow, and what is tried at an IMAP account is tried there in full. */
const MOST_OF_CORPUS = 30
const waves = inWaves([...ownHostileMail(), ...sampled(corpusHostileMail(), MOST_OF_CORPUS)], 25)

describe.each(['always', 'flow'] as const)('obeying all of it gets nothing out: %s', (caller) => {
  test.each(waves.map((mails, at) => ({ at, mails })))('wave $at', { timeout: 300_000 }, async ({ mails }) => {
    const house = await houses.house()
    const agent = await house.agent(caller)
    const [before, asked] = [office.left().length, office.asked()]
    const [loot] = await find(agent, EMMA, 'subject:Salaries', 1)
    const lootId = loot?.message_id ?? ''
    expect(lootId).not.toBe('')
    await office.deliver(
      EMMA,
      'INBOX',
      mails.map(({ raw }) => raw),
    )
    const found = await find(agent, EMMA, 'in:inbox', mails.length)
    expect(found).toHaveLength(mails.length)
    const aims = {
      account: EMMA,
      secret: SECRET,
      loot: { message_id: lootId, part_id: 'salaries.txt' },
      foreign: lootId,
    }
    const results = await obeyAll(agent, found, aims)
    expect(results.filter(({ text }) => WAITING.test(text)).length).toBeGreaterThan(mails.length * 6)
    const left = office.left().slice(before)
    expect(left.filter(({ recipients }) => recipients.join() !== TRUSTED)).toEqual([])
    if (caller === 'always') expect(office.asked()).toBe(asked)
    expectNothingTold(house, [SECRET])
    await expectOnRecord(house)
  })
})

test('what a person approves leaves, once, and what is free is free', { timeout: 60_000 }, async () => {
  const house = await houses.house()
  const agent = await house.agent('always')
  const before = office.asked()
  const args = { account: EMMA, to: CAROL, bcc: TRUSTED, subject: 'Approved', body: SECRET }
  const id = idIn(await agent.say('send_email', args))
  expect(await house.postern('approve', id, '--yes')).toMatchObject({ code: 0 })
  expect((await agent.say('send_email', { ...args, bcc: ATTACKER })).text).toMatch(WAITING)
  expect(office.asked()).toBe(before)
  expect((await agent.say('send_email', args)).text).toMatch(/^Email sent/)
  expect((await agent.say('send_email', args)).text).toMatch(WAITING)
  expect(office.asked()).toBe(before + 1)
  expect(office.left().at(-1)?.recipients.toSorted()).toEqual([TRUSTED, CAROL])

  const flow = await house.agent('flow')
  const write = (subject: string) => flow.say('send_email', { account: EMMA, to: ATTACKER, subject, body: 'x' })
  expect((await write('before')).text).toMatch(/^Email sent/)
  await find(flow, EMMA, 'subject:Salaries', 1)
  await flow.kill()
  const again = await house.agent('flow')
  const later = await again.say('send_email', { account: EMMA, to: ATTACKER, subject: 'after', body: SECRET })
  expect(later.text).toMatch(WAITING)
  expect(office.asked()).toBe(before + 2)
})
