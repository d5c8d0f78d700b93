/** Mailbox names as people really have them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { messageId, type Stage, startStage, uidvalidityOf } from './harness.ts'

let stage: Stage

const NAMES = [
  'with spaces  inside',
  'colon:in:it',
  'imap:default:INBOX:1:1',
  'level one/level two',
  "quote\"s and 'apostrophes'",
  'back\\slash',
  'R&D',
  '&',
  '&AOQ-',
  '100%',
  'star*',
  'percent%star*',
  'brackets [Gmail] (x) {5}',
  'Entwürfe',
  'Отправленные',
  '日本語',
  'emoji 📬 mail',
  'e\u0301 decomposed',
  '#news',
  'home~',
  '=?utf-8?Q?x?=',
  "a'; DROP TABLE",
  '-rf',
  '$HOME `id`',
]

const subjectIn = (name: string): string => `Letter ${NAMES.indexOf(name)}`

beforeAll(async () => {
  stage = await startStage()
  for (const name of NAMES) await stage.put(name, [letter({ subject: subjectIn(name) })])
})
afterAll(() => stage.close())

test('all are listed as a person would write them', async () => {
  const { data } = await stage.postern.call('imap_list_mailboxes')
  const names = data.mailboxes.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(NAMES))
})

test.each(NAMES)('%j can be searched, read, copied into and moved out of', async (name) => {
  const { data: found } = await stage.postern.call('imap_search_messages', { mailbox: name })
  const [first] = found.messages
  const id = messageId(name, await uidvalidityOf(stage.ada, name), 1)
  expect(first).toMatchObject({ message_id: id, mailbox: name, subject: subjectIn(name) })
  const { data: read } = await stage.postern.call('imap_get_message', { message_id: id })
  expect(read.message).toMatchObject({ message_id: id, mailbox: name, subject: subjectIn(name) })
  const { data: copied } = await stage.postern.call('imap_copy_message', { message_id: id, destination_mailbox: name })
  expect(copied).toMatchObject({ status: 'ok', new_message_id: messageId(name, first?.uidvalidity ?? 0, 2) })
  const move = { message_id: copied.new_message_id, destination_mailbox: 'Trash' }
  expect((await stage.postern.call('imap_move_message', move)).data).toMatchObject({
    status: 'ok',
    source_mailbox: name,
    destination_mailbox: 'Trash',
  })
  expect(await stage.ada.uids(name)).toEqual([1])
})

test.each(['inbox', 'Inbox', 'INBOX'])('INBOX is INBOX in any letter case: %s', async (mailbox) => {
  await stage.put('INBOX', [letter({ subject: 'in' })])
  const { data } = await stage.postern.call('imap_search_messages', { mailbox })
  const [first] = data.messages
  expect(first?.subject).toBe('in')
  expect((await stage.postern.call('imap_get_message', { message_id: first?.message_id })).data.status).toBe('ok')
})

test('a wildcard is a name and not a pattern', async () => {
  for (const mailbox of ['*', '%', 'INB*', 'I%']) {
    const refusal = await stage.postern.refusal('imap_search_messages', { mailbox })
    expect(refusal.data.code).toBe('not_found')
  }
})

test('a name that only holds others is not listed and cannot be searched', async () => {
  const { data } = await stage.postern.call('imap_list_mailboxes')
  expect(data.mailboxes.map(({ name }) => name)).not.toContain('level one')
  const refusal = await stage.postern.refusal('imap_search_messages', { mailbox: 'level one' })
  expect(refusal.data.code).toBe('not_found')
})
