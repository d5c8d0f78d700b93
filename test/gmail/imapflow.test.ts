/** The Gmail-like server with a client that knows Gmail. */
import { ImapFlow } from 'imapflow'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { letter, MIXED } from '../mail-source/messages.ts'
import { DEFAULT_ACCOUNT, type Gmail, startGmail } from './server.ts'

let gmail: Gmail
let client: ImapFlow

beforeEach(async () => {
  gmail = await startGmail({
    language: 'ja',
    labels: ['仕事/緊急'],
    messages: [{ raw: MIXED, labels: ['\\Inbox', '仕事/緊急'] }, { raw: letter({ subject: 'two' }) }],
  })
  client = new ImapFlow({
    host: gmail.host,
    port: gmail.port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: DEFAULT_ACCOUNT.user, accessToken: DEFAULT_ACCOUNT.tokens[0] },
    logger: false,
  })
  await client.connect()
})

afterEach(async () => {
  await client.logout()
  await gmail.stop()
})

test('lists mailboxes with their roles, in Japanese', async () => {
  const listed = await client.list()
  expect(listed.find(({ specialUse }) => specialUse === '\\All')?.path).toBe('[Gmail]/すべてのメール')
  expect(listed.map(({ path }) => path)).toContain('仕事/緊急')
})

test('reads messages with their Gmail ids and labels', async () => {
  await client.mailboxOpen('INBOX')
  const query = { uid: true, envelope: true, bodyStructure: true, labels: true, threadId: true, source: true } as const
  const message = await client.fetchOne('1', query)
  if (!message) throw new Error('the message is not there')
  expect(message.emailId).toBe(`${gmail.account().store.messages()[0]?.msgid}`)
  // The client leaves labels as they are on the wire.
  expect([...(message.labels ?? [])]).toEqual(['&TtVOiw-/&fcpgJQ-'])
  expect(message.envelope?.subject).toBe('parts')
  expect(message.envelope?.from?.[0]).toMatchObject({ name: 'Zoë', address: 'zoe@example.org' })
  expect(message.bodyStructure?.childNodes?.map(({ type }) => type)).toEqual([
    'multipart/alternative',
    'application/pdf',
    'message/rfc822',
  ])
  expect(message.source?.toString()).toBe(MIXED)
})

test('searches, moves, labels, appends and deletes', async () => {
  await client.mailboxOpen('INBOX')
  expect(await client.search({ gmailraw: 'subject:two' }, { uid: true })).toEqual([2])
  await client.messageFlagsAdd('2', ['later'], { uid: true, useLabels: true })
  await client.messageMove('2', '仕事/緊急', { uid: true })
  const { store } = gmail.account()
  expect([...(store.messages()[1]?.labels ?? [])].sort()).toEqual(['later', '仕事/緊急'])
  const appended = await client.append('later', letter({ subject: 'three' }), ['\\Seen'])
  expect(appended).toMatchObject({ uid: 2, destination: 'later' })
  await client.messageDelete('1', { uid: true })
  expect([...(store.messages()[0]?.labels ?? [])]).toEqual(['仕事/緊急'])
  expect(await client.status('later', { messages: true, unseen: true })).toMatchObject({ messages: 2, unseen: 1 })
})
