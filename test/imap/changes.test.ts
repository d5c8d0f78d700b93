/** Flags, copies, moves and deletions: what they do to the mailboxes, seen by another mail program. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import type { OtherClient } from '../dovecot/other-client.ts'
import { at, letter } from '../mail-source/messages.ts'
import { messageId, type Stage, startStage, uidOf, uidvalidityOf } from './harness.ts'
import { account, type Postern, startPostern } from './postern.ts'

let stage: Stage
let count = 0

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

/** A mailbox of its own for each test, with messages in it. */
async function mailbox(...subjects: string[]): Promise<{ name: string; ids: string[] }> {
  count += 1
  const name = `Box ${count}`
  return {
    name,
    ids: await stage.put(
      name,
      subjects.map((subject) => letter({ subject })),
    ),
  }
}

async function contents(
  { imap }: OtherClient,
  name: string,
): Promise<{ subject: string; flags: string[]; uid: number }[]> {
  const { exists } = await imap.mailboxOpen(name)
  if (exists === 0) return []
  const found = await imap.fetchAll('1:*', { uid: true, envelope: true, flags: true })
  // What the server tells of others' changes comes without an envelope.
  return found.flatMap(({ envelope, flags, uid }) => {
    const lasting = [...(flags ?? [])].filter((flag) => flag !== '\\Recent').sort()
    return envelope === undefined ? [] : [{ subject: envelope.subject ?? '', flags: lasting, uid }]
  })
}

const subjects = async (name: string): Promise<string[]> =>
  (await contents(stage.ada, name)).map(({ subject }) => subject)

describe('flags', () => {
  const rows: [why: string, before: string[], add: string[], remove: string[], after: string[]][] = [
    ['a system flag is added', [], ['\\Seen'], [], ['\\Seen']],
    ['a system flag is removed', ['\\Seen', '\\Flagged'], [], ['\\Seen'], ['\\Flagged']],
    [
      'all five system flags',
      [],
      ['\\Seen', '\\Answered', '\\Flagged', '\\Draft', '\\Deleted'],
      [],
      ['\\Answered', '\\Deleted', '\\Draft', '\\Flagged', '\\Seen'],
    ],
    ['system flags in any letter case', [], ['\\seen', '\\FLAGGED'], [], ['\\Flagged', '\\Seen']],
    ['keywords', [], ['$Forwarded', 'invoice-2024'], [], ['$Forwarded', 'invoice-2024']],
    ['remove and add in one call', ['\\Seen'], ['\\Flagged'], ['\\Seen'], ['\\Flagged']],
    ['a flag in both lists is there in the end: remove comes first', ['\\Seen'], ['\\Seen'], ['\\Seen'], ['\\Seen']],
    ['removing what is not there is no error', [], [], ['\\Answered', 'Nothing'], []],
    ['every character of an atom', [], ["!#$&'+,-./09:;<=>?@AZ[^_`az|}~"], [], ["!#$&'+,-./09:;<=>?@AZ[^_`az|}~"]],
  ]

  test.each(rows)('%s', async (_, before, add, remove, after) => {
    const { name, ids } = await mailbox('one', 'two')
    const [id = '', other = ''] = ids
    await setFlags(name, uidOf(id), before)
    const { summary, data } = await stage.postern.call('imap_update_message_flags', {
      message_id: id,
      ...(add.length > 0 && { add_flags: add }),
      ...(remove.length > 0 && { remove_flags: remove }),
    })
    expect(summary).toBe('Flags changed')
    expect(data).toMatchObject({
      status: 'ok',
      issues: [],
      account_id: 'default',
      message_id: id,
      requested_add_flags: expect.any(Array),
      requested_remove_flags: remove,
      applied_add_flags: add.length > 0,
      applied_remove_flags: remove.length > 0,
    })
    expect([...(data.flags ?? [])].filter((flag) => flag !== '\\Recent').sort()).toEqual(after)
    const now = await contents(stage.ada, name)
    expect(now.map(({ flags }) => flags)).toEqual([after, []])
    expect(now[1]?.uid).toBe(uidOf(other))
  })

  async function setFlags(name: string, uid: number, flags: string[]): Promise<void> {
    if (flags.length === 0) return
    await stage.ada.imap.mailboxOpen(name)
    await stage.ada.imap.messageFlagsSet(String(uid), flags, { uid: true })
  }

  const bad = [
    '\\Recent',
    '\\recent',
    '\\*',
    '\\Important',
    '\\',
    '',
    ' ',
    'a b',
    'a(b',
    'a)b',
    'a{b',
    'a%b',
    'a*b',
    'a"b',
    'a\\b',
    'a]b',
  ]
  const worse = [
    'ключ',
    'é',
    '\\Seen) (\\Deleted',
    '\\Seen \\Deleted',
    '{5}',
    '$Junk\r\n',
    'a\0',
    'a\x7f',
    '"x"',
    'X'.repeat(5000),
  ]
  test.each([...bad, ...worse])('%j is no flag', async (flag) => {
    const { name, ids } = await mailbox('one')
    for (const list of [[flag], ['\\Seen', flag]]) {
      for (const key of ['add_flags', 'remove_flags']) {
        const refusal = await stage.postern.refusal('imap_update_message_flags', { message_id: ids[0], [key]: list })
        expect(refusal.data.code).toBe('invalid_input')
        expect(refusal.message).toContain('flags must be')
      }
    }
    expect((await contents(stage.ada, name))[0]?.flags).toEqual([])
  })
})

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
      message: 'the mailbox does not exist',
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

describe('the write gate', () => {
  let closed: Postern

  beforeAll(async () => {
    closed = await startPostern(account('default', stage.proxy.port, 'ada'))
  })
  afterAll(() => closed.close())

  const writes: [tool: string, args: object, capability: string][] = [
    ['imap_update_message_flags', { add_flags: ['\\Seen'] }, 'mark_seen'],
    ['imap_update_message_flags', { remove_flags: ['Keyword'] }, 'mark_tagged'],
    ['imap_copy_message', { destination_mailbox: 'INBOX' }, 'accept_incoming'],
    ['imap_move_message', { destination_mailbox: 'INBOX' }, 'move_out'],
    ['imap_delete_message', { confirm: true }, 'delete'],
  ]

  test.each(writes)('closed unless it was opened: %s %j', async (tool, args, capability) => {
    const { name, ids } = await mailbox('one')
    stage.proxy.forget()
    const refusal = await closed.refusal(tool, { message_id: ids[0], ...args })
    expect(refusal).toMatchObject({
      code: -32602,
      message: expect.stringContaining('MAIL_IMAP_WRITE_ENABLED=true'),
      data: { code: 'invalid_input', details: { reason: 'capability_missing', missing_capability: capability } },
    })
    expect(stage.proxy.sent()).toBe('')
    expect(await contents(stage.ada, name)).toMatchObject([{ subject: 'one', flags: [] }])
  })

  test('all ten tools are listed all the same, and reading works', async () => {
    const { ids } = await mailbox('one')
    expect((await closed.client.listTools()).tools).toHaveLength(10)
    expect((await closed.call('imap_get_message', { message_id: ids[0] })).data.status).toBe('ok')
  })
})

describe.each([
  ['without MOVE', ['MOVE']],
  ['without MOVE and UIDPLUS', ['MOVE', 'UIDPLUS']],
  ['without UIDPLUS', ['UIDPLUS']],
])('a server %s', (_, missing) => {
  let lesser: Stage
  const moves = !missing.includes('MOVE')
  const expunges = !missing.includes('UIDPLUS')

  beforeAll(async () => {
    lesser = await startStage({ capability: capabilityWithout(...missing) })
  })
  afterAll(() => lesser.close())

  test('move', async () => {
    const [id = ''] = await lesser.put('From', [letter({ subject: 'one' }), letter({ subject: 'theirs' })])
    await lesser.put('To', [])
    await lesser.ada.imap.mailboxOpen('From')
    await lesser.ada.imap.messageFlagsAdd('2', ['\\Deleted'])
    const args = { message_id: id, destination_mailbox: 'To' }
    const { summary, data } = await lesser.postern.call('imap_move_message', args)
    expect((await contents(lesser.ada, 'To')).map(({ subject }) => subject)).toEqual(['one'])
    const left = (await contents(lesser.ada, 'From')).map(({ subject, flags }) => [subject, flags])
    if (moves || expunges) {
      const steps = moves ? 1 : 3
      expect(summary).toBe('1 of 1 messages moved')
      expect(data).toMatchObject({ status: 'ok', steps_attempted: steps, steps_succeeded: steps })
      expect(left).toEqual([['theirs', ['\\Deleted']]])
    } else {
      expect(summary).toMatch(/^The message was moved only in part: .*no UIDPLUS.*flagged \\Deleted$/)
      expect(data).toMatchObject({
        status: 'partial',
        issues: [{ code: 'unsupported', stage: 'expunge', retryable: false }],
        steps_attempted: 3,
        steps_succeeded: 2,
      })
      expect(left).toEqual([
        ['one', ['\\Deleted']],
        ['theirs', ['\\Deleted']],
      ])
    }
  })

  test('a move to a missing mailbox leaves the message as it is', async () => {
    const [id = ''] = await lesser.put('Kept', [letter({ subject: 'one' })])
    const args = { message_id: id, destination_mailbox: 'Nowhere' }
    const { summary, data } = await lesser.postern.call('imap_move_message', args)
    expect(summary).toBe('0 of 1 messages moved: the destination mailbox does not exist')
    expect(data).toMatchObject({ status: 'failed', steps_attempted: 1, steps_succeeded: 0 })
    expect(await contents(lesser.ada, 'Kept')).toMatchObject([{ subject: 'one', flags: [] }])
  })

  test('delete', async () => {
    const [id = ''] = await lesser.put('Gone', [letter({ subject: 'one' }), letter({ subject: 'two' })])
    const { summary, data } = await lesser.postern.call('imap_delete_message', { message_id: id, confirm: true })
    const left = (await contents(lesser.ada, 'Gone')).map(({ subject, flags }) => [subject, flags])
    if (expunges) {
      expect(data).toMatchObject({ status: 'ok', steps_succeeded: 2 })
      expect(left).toEqual([['two', []]])
    } else {
      expect(summary).toMatch(/^The message was deleted only in part: .*no UIDPLUS.*flagged \\Deleted$/)
      expect(data).toMatchObject({ status: 'partial', steps_attempted: 2, steps_succeeded: 1 })
      expect(left).toEqual([
        ['one', ['\\Deleted']],
        ['two', []],
      ])
    }
  })
})
