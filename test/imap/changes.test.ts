/** Copies, moves and deletions: what they do to the mailboxes, seen by another mail program. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { at, letter } from '../mail-source/messages.ts'
import { contents, messageId, ownMailbox, type Stage, startStage, uidOf, uidvalidityOf } from './harness.ts'
import { account, startPostern } from './postern.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

const mailbox = (...titles: string[]) => ownMailbox(stage, ...titles)
const subjects = async (name: string): Promise<string[]> =>
  (await contents(stage.ada, name)).map(({ subject }) => subject)

describe('copy', () => {
  test('inside the account: the original stays as it is, and the id of the copy is told', async () => {
    const { name, ids } = await mailbox('one', 'two')
    const target = await mailbox()
    const args = { message_id: ids[0], destination_mailbox: target.name }
    const { summary, data } = await stage.postern.call('imap_copy_message', args)
    expect(summary).toBe('1 of 1 messages copied')
    const [copy] = await contents(stage.ada, target.name)
    expect(data).toEqual({
      status: 'ok',
      issues: [],
      source_account_id: 'default',
      destination_account_id: 'default',
      source_mailbox: name,
      destination_mailbox: target.name,
      message_id: ids[0],
      new_message_id: messageId(target.name, await uidvalidityOf(stage.ada, target.name), copy?.uid ?? 0),
      steps_attempted: 1,
      steps_succeeded: 1,
    })
    expect(copy?.subject).toBe('one')
    expect(await subjects(name)).toEqual(['one', 'two'])
    const read = await stage.postern.call('imap_get_message', { message_id: data.new_message_id })
    expect(read.data.message.subject).toBe('one')
  })

  test('into its own mailbox', async () => {
    const { name, ids } = await mailbox('one')
    await stage.postern.call('imap_copy_message', { message_id: ids[0], destination_mailbox: name })
    expect(await subjects(name)).toEqual(['one', 'one'])
  })

  test('to another account: bytes, flags and INTERNALDATE travel', async () => {
    const raw = letter({ subject: 'travelling', body: 'Grüße\r\n\r\n.\r\nlast line' })
    const received = at('2019-03-04T05:06:07Z')
    const [id = ''] = await stage.put('Travel', [{ raw, flags: ['\\Seen', '\\Flagged', 'Kept'], received }])
    const { summary, data } = await stage.postern.call('imap_copy_message', {
      message_id: id,
      destination_mailbox: 'INBOX',
      destination_account_id: 'work',
    })
    expect(summary).toBe('1 of 1 messages copied')
    expect(data).toMatchObject({
      status: 'ok',
      source_account_id: 'default',
      destination_account_id: 'work',
      steps_attempted: 2,
      steps_succeeded: 2,
    })
    expect(data.new_message_id).toMatch(/^imap:work:INBOX:\d+:\d+$/)
    await stage.bob.imap.mailboxOpen('INBOX')
    const uid = String(uidOf(data.new_message_id ?? ''))
    const copy = await stage.bob.imap.fetchOne(uid, { source: true, flags: true, internalDate: true }, { uid: true })
    if (copy === false || copy === undefined) throw new Error('the copy is not there')
    expect(copy.source?.toString()).toBe(raw)
    expect([...(copy.flags ?? [])].filter((flag) => flag !== '\\Recent').sort()).toEqual([
      'Kept',
      '\\Flagged',
      '\\Seen',
    ])
    expect(new Date(copy.internalDate ?? 0).getTime() / 1000).toBe(received)
    expect(await subjects('Travel')).toEqual(['travelling'])
  })

  test('to another account that refuses the login: soft, nothing copied', async () => {
    const { ids } = await mailbox('one')
    const { dovecot } = stage
    const env = { ...account('default', dovecot.port, 'ada'), ...account('work', dovecot.port, 'bob', 'wrong') }
    const postern = await startPostern({ ...env, MAIL_IMAP_WRITE_ENABLED: 'true' })
    const args = { message_id: ids[0], destination_mailbox: 'INBOX', destination_account_id: 'work' }
    const { summary, data } = await postern.call('imap_copy_message', args)
    expect(summary).toMatch(/^0 of 1 messages copied: the server refused the user name or password of account work/)
    expect(data).toMatchObject({
      status: 'failed',
      issues: [{ code: 'auth_failed' }],
      next_action: { tool: 'imap_verify_account', arguments: { account_id: 'work' } },
    })
    await postern.close()
  })
})

describe('move', () => {
  test('in one step where the server can', async () => {
    const { name, ids } = await mailbox('one', 'two')
    const target = await mailbox()
    const args = { message_id: ids[0], destination_mailbox: target.name }
    stage.proxy.forget()
    const { summary, data } = await stage.postern.call('imap_move_message', args)
    expect(stage.proxy.sent()).toMatch(/UID MOVE/)
    expect(stage.proxy.sent()).not.toMatch(/EXPUNGE|STORE|COPY/)
    expect(summary).toBe('1 of 1 messages moved')
    const [moved] = await contents(stage.ada, target.name)
    expect(data).toEqual({
      status: 'ok',
      issues: [],
      account_id: 'default',
      source_mailbox: name,
      destination_mailbox: target.name,
      message_id: ids[0],
      new_message_id: messageId(target.name, await uidvalidityOf(stage.ada, target.name), moved?.uid ?? 0),
      steps_attempted: 1,
      steps_succeeded: 1,
    })
    expect(moved?.subject).toBe('one')
    expect(await subjects(name)).toEqual(['two'])
  })

  test.each(['Box 1', 'INBOX'])('to the mailbox that the message is in: refused (%s)', async (name) => {
    const [id = ''] = await stage.put(name, [letter({})])
    const spelled = name === 'INBOX' ? 'inbox' : name
    const refusal = await stage.postern.refusal('imap_move_message', { message_id: id, destination_mailbox: spelled })
    expect(refusal).toMatchObject({ data: { code: 'invalid_input' }, message: expect.stringContaining('already') })
  })
})

describe('a destination that is missing', () => {
  test.each([
    ['imap_copy_message', 'copied'],
    ['imap_move_message', 'moved'],
  ])('%s fails softly and changes nothing', async (tool, verb) => {
    const { name, ids } = await mailbox('one', 'two')
    const args = { message_id: ids[0], destination_mailbox: 'No such mailbox' }
    const { summary, data } = await stage.postern.call(tool, args)
    expect(summary).toBe(`0 of 1 messages ${verb}: the destination mailbox does not exist`)
    expect(data).toMatchObject({
      status: 'failed',
      issues: [{ code: 'not_found', message: 'the destination mailbox does not exist', retryable: false }],
      next_action: { tool: 'imap_list_mailboxes', arguments: { account_id: 'default' } },
      steps_attempted: 1,
      steps_succeeded: 0,
    })
    expect(data).not.toHaveProperty('new_message_id')
    expect((await contents(stage.ada, name)).map(({ subject, flags }) => [subject, flags])).toEqual([
      ['one', []],
      ['two', []],
    ])
    expect((await stage.ada.imap.list()).map(({ path }) => path)).not.toContain('No such mailbox')
  })

  test('in another account', async () => {
    const { ids } = await mailbox('one')
    const { summary, data } = await stage.postern.call('imap_copy_message', {
      message_id: ids[0],
      destination_mailbox: 'No such mailbox',
      destination_account_id: 'work',
    })
    expect(summary).toContain('the destination mailbox does not exist')
    expect(data).toMatchObject({
      next_action: { tool: 'imap_list_mailboxes', arguments: { account_id: 'work' } },
      steps_attempted: 2,
      steps_succeeded: 1,
    })
  })
})

describe('delete', () => {
  test('removes that one message, and not the one that somebody else has flagged \\Deleted', async () => {
    const { name, ids } = await mailbox('mine', 'theirs', 'third')
    await stage.ada.imap.mailboxOpen(name)
    await stage.ada.imap.messageFlagsAdd(String(uidOf(ids[1] ?? '')), ['\\Deleted'], { uid: true })
    stage.proxy.forget()
    const { summary, data } = await stage.postern.call('imap_delete_message', { message_id: ids[0], confirm: true })
    expect(summary).toBe('1 of 1 messages deleted')
    expect(data).toEqual({
      status: 'ok',
      issues: [],
      account_id: 'default',
      mailbox: name,
      message_id: ids[0],
      steps_attempted: 2,
      steps_succeeded: 2,
    })
    expect((await contents(stage.ada, name)).map(({ subject, flags }) => [subject, flags])).toEqual([
      ['theirs', ['\\Deleted']],
      ['third', []],
    ])
    // The two commands that would have taken theirs too.
    expect(stage.proxy.sent()).not.toMatch(/(?<!UID )EXPUNGE|CLOSE/)
  })
})

describe('a source that is missing', () => {
  const tools: [tool: string, args: object][] = [
    ['imap_get_message', {}],
    ['imap_get_message_raw', {}],
    ['imap_update_message_flags', { add_flags: ['\\Seen'] }],
    ['imap_copy_message', { destination_mailbox: 'INBOX' }],
    ['imap_copy_message', { destination_mailbox: 'INBOX', destination_account_id: 'work' }],
    ['imap_move_message', { destination_mailbox: 'INBOX' }],
    ['imap_delete_message', { confirm: true }],
  ]

  test.each(tools)('%s %j: mailbox and uid are not_found, another uidvalidity is a conflict', async (tool, args) => {
    const { name, ids } = await mailbox('one')
    const uidvalidity = await uidvalidityOf(stage.ada, name)
    const refused = (message_id: string): Promise<object> => stage.postern.refusal(tool, { message_id, ...args })
    expect(await refused(messageId('Nowhere', 1, 1))).toMatchObject({
      message: 'the mailbox does not exist; list the mailboxes to see which do',
      data: { code: 'not_found' },
    })
    expect(await refused(messageId(name, uidvalidity, 4711))).toMatchObject({
      message: 'there is no message with uid 4711 in the mailbox',
      data: { code: 'not_found' },
    })
    expect(await refused(messageId(name, uidvalidity + 1, uidOf(ids[0] ?? '')))).toMatchObject({
      message: expect.stringContaining('search again'),
      data: { code: 'conflict', details: { expected: uidvalidity + 1, actual: uidvalidity } },
    })
    expect(await contents(stage.ada, name)).toMatchObject([{ subject: 'one', flags: [] }])
  })

  test('a mailbox deleted and made anew by somebody else is a conflict, on a warm connection too', async () => {
    const { name, ids } = await mailbox('one')
    await stage.postern.call('imap_get_message', { message_id: ids[0] })
    await stage.ada.imap.mailboxDelete(name)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await stage.put(name, [letter({ subject: 'another' })])
    const refusal = await stage.postern.refusal('imap_delete_message', { message_id: ids[0], confirm: true })
    expect(refusal.data.code).toBe('conflict')
    expect((await stage.postern.refusal('imap_get_message', { message_id: ids[0] })).data.code).toBe('conflict')
    expect(await subjects(name)).toEqual(['another'])
  })
})
