/** Flags, and the gate that stands before every change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contents, ownMailbox, type Stage, startStage, uidOf } from './harness.ts'
import { account, type Postern, startPostern } from './postern.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

const mailbox = (...titles: string[]) => ownMailbox(stage, ...titles)

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
    ['system flags without their backslash', [], ['Seen', 'FLAGGED'], [], ['\\Flagged', '\\Seen']],
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
    '\\Recent',
    'Recent',
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
  test('a system flag is removed under its name without the backslash', async () => {
    const { name, ids } = await mailbox('one')
    const [id = ''] = ids
    await setFlags(name, uidOf(id), ['\\Seen', 'kept'])
    const { data } = await stage.postern.call('imap_update_message_flags', { message_id: id, remove_flags: ['seen'] })
    expect(data).toMatchObject({ status: 'ok', requested_remove_flags: ['\\Seen'] })
    expect((await contents(stage.ada, name))[0]?.flags).toEqual(['kept'])
  })

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
