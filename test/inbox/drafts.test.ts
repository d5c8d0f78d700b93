/** Drafts: proper messages among the drafts, answers in their thread, nothing sent and nothing smuggled. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import {
  type Agent,
  ALL_CAPABILITIES,
  granting,
  passwordFrom,
  type Stage,
  startStage,
  uniform,
} from '../policy/stage.ts'
import { ADDRESS, type Arguments, emailsOf, inboxSpec, refusal, type Told, tell } from './answers.ts'

let stage: Stage
let agent: Agent
let callers = 0

const NAMES = ['writer', 'co-writer']

beforeAll(async () => {
  const spec = inboxSpec(NAMES)
  stage = await startStage({
    ...spec,
    accounts: {
      ...spec.accounts,
      nameless: { user: 'ada', ...passwordFrom('ada') },
    },
    callers: {
      ...spec.callers,
      reader: { policy: 'reading', toolsets: ['inbox'] },
      partly: { policy: 'partly', toolsets: ['inbox'] },
      other: { policy: 'other', toolsets: ['inbox'] },
    },
    policies: {
      ...spec.policies,
      reading: { accounts: { ada: [uniform('**', 'FULL')] } },
      other: { accounts: { nameless: [uniform('**', 'FULL', ALL_CAPABILITIES)] } },
      partly: {
        accounts: {
          ada: [
            uniform('Drafts', 'NONE', { draft_append: true }),
            granting('INBOX', 'example.org', 'BODY'),
            uniform('Brief', 'ENVELOPE'),
          ],
        },
      },
    },
  })
  await stage.put('ada', 'Drafts', [])
  await stage.put('ada', 'INBOX', [
    {
      raw: letter({
        subject: 'Re: plans',
        from: 'Zoë <zoe@example.org>',
        messageId: '<c@example.org>',
        body: 'Shall we?\r\n> older',
        extra: ['References: <a@example.org> <b@example.org>'],
      }),
    },
    {
      raw: letter({ subject: 'secret', from: 'ceo@bank.example', messageId: '<secret@bank.example>', body: 'SECRET' }),
    },
  ])
  await stage.put('ada', 'Brief', [{ raw: letter({ subject: 'short', messageId: '<brief@example.org>' }) }])
})
afterAll(() => stage.close())

/** Ten drafts a minute are what a caller has. */
beforeEach(async () => {
  agent = await stage.as(NAMES[callers++ % NAMES.length] ?? '')
})

const LETTER = {
  account: ADDRESS,
  to: ['Grace <grace@example.net>'],
  subject: 'Hello',
  body: 'Hi Grace,\nall is well.',
}
const draft = (args: Arguments = {}): Promise<Told> =>
  tell(agent.postern.client, 'create_draft', { ...LETTER, ...args })
const refused = (args: Arguments) => refusal(agent.postern.client, 'create_draft', { ...LETTER, ...args })

async function stored(told: Told): Promise<{ source: string; flags: readonly string[] }> {
  const uid = Number(/:(\d+)$/.exec(String(told.value['id']))?.[1])
  const { imap } = await stage.client('ada')
  await imap.mailboxOpen('Drafts')
  const message = await imap.fetchOne(String(uid), { source: true, flags: true }, { uid: true })
  if (!message) throw new Error('there is no such draft')
  return { source: message.source?.toString() ?? '', flags: [...(message.flags ?? [])] }
}

async function idOf(folder: string, subject: string): Promise<string> {
  const { client } = (await stage.as('reader')).postern
  const listed = await tell(client, 'list_emails', { account: ADDRESS, folder })
  return emailsOf(listed).find((email) => email.subject === subject)?.id ?? ''
}

test('a draft, word for word, and to the byte', async () => {
  const told = await draft({ cc: ['"Byron, G." <g@example.net>'] })
  expect(told.text).toBe(
    [
      'Draft created successfully!',
      '',
      `Draft ID: ${told.value['id']}`,
      'To: Grace <grace@example.net>',
      'Cc: "Byron, G." <g@example.net>',
      'Subject: Hello',
      '',
      'Note: The user must manually review and send this draft in their mail program.',
    ].join('\n'),
  )
  expect(told.value['id']).toMatch(/^imap:ada:Drafts:\d+:\d+$/)
  const { source, flags } = await stored(told)
  expect(source.replace(/^Date: .*$/m, 'Date: D').replace(/<[0-9a-f-]{36}@/, '<ID@')).toBe(
    [
      `From: ${ADDRESS}`,
      'To: Grace <grace@example.net>',
      'Cc: "Byron, G." <g@example.net>',
      'Subject: Hello',
      'Date: D',
      'Message-ID: <ID@example.com>',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8; format=flowed',
      'Content-Transfer-Encoding: 7bit',
      '',
      'Hi Grace,',
      'all is well.',
      '',
    ].join('\r\n'),
  )
  expect(flags.filter((flag) => flag !== '\\Recent').toSorted()).toEqual(['\\Draft', '\\Seen'])
})

test('it can be read back by its own id', async () => {
  const told = await draft({ subject: 'Grüße 🙂', body: 'Ünïcode' })
  const read = await tell(agent.postern.client, 'read_email', { account: ADDRESS, email_id: told.value['id'] })
  expect(read.value).toMatchObject({ subject: 'Grüße 🙂', body: 'Ünïcode', to: 'Grace <grace@example.net>' })
})

test('an answer has the chain, the quotation and one Re:', async () => {
  const told = await draft({ subject: 'Re: Re: plans', reply_to_id: await idOf('inbox', 'Re: plans') })
  expect(told.text).toContain('\nSubject: Re: plans\n')
  const { source } = await stored(told)
  expect(source).toContain('\r\nIn-Reply-To: <c@example.org>\r\n')
  expect(source).toContain('\r\nReferences: <a@example.org> <b@example.org> <c@example.org>\r\n')
  const read = await tell(agent.postern.client, 'read_email', { account: ADDRESS, email_id: told.value['id'] })
  expect(read.value['body']).toBe(
    'Hi Grace,\nall is well.\n\nOn Mon, 1 Jan 2024 12:00 UTC, Zoë wrote:\n> Shall we?\n>> older',
  )
})

test.each<[string, Arguments, RegExp]>([
  ['no recipient', { to: [] }, /^to must not be empty/],
  ['an empty one', { to: ['a@example.org', ''] }, /^to\[1\] is empty/],
  ['two in one', { to: ['a@example.org, b@example.org'] }, /^to\[0\] must be a single address/],
  ['a group', { cc: ['friends: a@example.org;'] }, /^cc\[0\] must be a single address/],
  ['a line break in an address', { to: ['a@example.org\r\nBcc: b@example.org'] }, /^to\[0\] must be one line/],
  ['a line break in the subject', { subject: 'x\r\nBcc: b@example.org' }, /^subject must be one line/],
  ['NUL in the body', { body: 'a\0b' }, /^body must be text without NUL/],
  ['no subject', { subject: undefined }, /^subject is required/],
  ['one as a text', { to: 'a@example.org' }, /^to must be a list/],
])('%s is refused, and nothing is stored', async (_what, args, message) => {
  const before = await (await stage.client('ada')).uids('Drafts')
  expect(await refused(args)).toMatchObject({ code: -32602, message: expect.stringMatching(message) })
  expect(await (await stage.client('ada')).uids('Drafts')).toEqual(before)
})

test('an account without an address cannot write', async () => {
  agent = await stage.as('other')
  expect(await refused({ account: 'nameless' })).toMatchObject({
    code: -32602,
    message: expect.stringContaining('set identity'),
  })
})

test('drafts are writes: without the capability the reason is given', async () => {
  agent = await stage.as('reader')
  expect(await refused({})).toMatchObject({
    code: -32602,
    data: { details: { reason: 'capability_missing', missing_capability: 'draft_append' } },
  })
})

test('only what the caller may read can be answered, and what it may not know of is not there', async () => {
  const secret = await idOf('inbox', 'secret')
  const [plans, brief] = [await idOf('inbox', 'Re: plans'), await idOf('Brief', 'short')]
  agent = await stage.as('partly')
  const before = await (await stage.client('ada')).uids('Drafts')
  const hidden = await refused({ reply_to_id: secret })
  const absent = await refused({ reply_to_id: secret.replace(/\d+$/, '999') })
  const nowhere = await refused({ reply_to_id: secret.replace('INBOX', 'Nowhere') })
  expect(hidden.code).toBe(-32001)
  for (const other of [absent, nowhere]) expect([other.code, other.message]).toEqual([hidden.code, hidden.message])
  expect(await refused({ reply_to_id: brief })).toMatchObject({
    code: -32602,
    message: expect.stringContaining('BODY'),
  })
  expect(await refused({ reply_to_id: 'x' })).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^reply_to_id /),
  })
  expect(await (await stage.client('ada')).uids('Drafts')).toEqual(before)
  expect((await draft({ reply_to_id: plans })).text).toContain('Draft created successfully!')
})
