/** Many calls at once, servers that go away, calls that are given up, and the record of all that. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { ADA, type Stage, startStage, uidOf } from './harness.ts'
import { account, startPostern, WRITABLE } from './postern.ts'
import { auditRecords, verifyRecord } from './record.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

const titled = (index: number): string => `Letter number ${String(index).padStart(3, '0')}`

test('two hundred calls at once are all answered, over three connections', async () => {
  const ids = await stage.put(
    'Crowd',
    Array.from({ length: 20 }, (_, index) => letter({ subject: titled(index), body: `body ${index}` })),
  )
  const connections = stage.proxy.connections()
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const which = index % 20
      const message_id = ids[which]
      if (index % 4 === 0) {
        const { data } = await stage.postern.call('imap_get_message', { message_id })
        return data.message.subject === titled(which) && data.message.body_text === `body ${which}`
      }
      if (index % 4 === 1) {
        const { data } = await stage.postern.call('imap_search_messages', {
          mailbox: 'Crowd',
          subject: titled(which),
          include_snippet: true,
        })
        return data.status === 'ok' && data.messages.some(({ snippet }) => snippet === `body ${which}`)
      }
      if (index % 4 === 2) {
        const { data } = await stage.postern.call('imap_update_message_flags', {
          message_id,
          add_flags: [`Keyword${index}`],
        })
        return data.flags?.includes(`Keyword${index}`) === true
      }
      const { data } = await stage.postern.call('imap_get_message_raw', { message_id })
      return Buffer.from(data.raw_source_base64, 'base64')
        .toString()
        .includes(`Subject: ${titled(which)}\r\n`)
    }),
  )
  expect(answers.filter((good) => !good)).toEqual([])
  expect(stage.proxy.connections() - connections).toBeLessThanOrEqual(3)
})

describe('a server that goes away', () => {
  test('in the middle of a message, and comes back', async () => {
    const [message_id = ''] = await stage.put('Away', [letter({ body: 'x'.repeat(900_000) })])
    await stage.postern.call('imap_search_messages', { mailbox: 'Away' })
    stage.proxy.cutAfter(100_000)
    const raw = { message_id, max_bytes: 1_000_000 }
    const { summary, data } = await stage.postern.call('imap_get_message_raw', raw)
    expect(data).toMatchObject({
      status: 'failed',
      issues: [{ code: 'unavailable', retryable: true }],
      next_action: { tool: 'imap_get_message_raw', arguments: raw },
    })
    expect(summary).toBe('The source could not be fetched: the connection to the mail server was lost')
    stage.proxy.flow()
    expect((await stage.postern.call('imap_get_message_raw', raw)).data.status).toBe('ok')
  })

  test('between two calls: the next one does not notice', async () => {
    await stage.postern.call('imap_search_messages', { mailbox: 'INBOX' })
    stage.proxy.cut()
    expect((await stage.postern.call('imap_search_messages', { mailbox: 'INBOX' })).data.status).toBe('ok')
  })

  test('with the answer to a change: its outcome is unknown, and it is not done twice', async () => {
    const [message_id = ''] = await stage.put('Unknown', [letter({ subject: 'one' })])
    await stage.put('Target', [])
    stage.proxy.when(/UID MOVE/, stage.proxy.hangUp)
    const args = { message_id, destination_mailbox: 'Target' }
    const { summary, data } = await stage.postern.call('imap_move_message', args)
    expect(summary).toMatch(/^It is not known whether the message was moved: .*look before doing it again$/)
    expect(data).toMatchObject({
      status: 'failed',
      issues: [{ code: 'outcome_unknown', stage: 'move', retryable: false }],
      next_action: { tool: 'imap_get_message', arguments: { message_id } },
      steps_attempted: 1,
      steps_succeeded: 0,
    })
    await expect.poll(() => stage.ada.uids('Target')).toHaveLength(1)
    expect(await stage.ada.uids('Unknown')).toEqual([])
  })

  test('and its flags: unknown too', async () => {
    const [message_id = ''] = await stage.put('Unknown flags', [letter({ subject: 'one' })])
    stage.proxy.when(/UID STORE/, stage.proxy.hangUp)
    const { summary, data } = await stage.postern.call('imap_update_message_flags', {
      message_id,
      add_flags: ['\\Flagged'],
    })
    expect(summary).toMatch(/^It is not known whether the flags were changed/)
    expect(data).toMatchObject({ issues: [{ code: 'outcome_unknown' }], applied_add_flags: false })
  })

  test('for a while', async () => {
    await stage.dovecot.pause()
    stage.proxy.cut()
    const down = await stage.postern.call('imap_search_messages', { mailbox: 'INBOX' })
    expect(down.data).toMatchObject({ status: 'failed', issues: [{ code: 'unavailable', retryable: true }] })
    await stage.dovecot.restart()
    const { next_action } = down.data
    expect((await stage.postern.call(next_action.tool, next_action.arguments)).data.status).toBe('ok')
  })
})

test('a call that its client gives up frees the connection, and the others go on', async () => {
  const leaving = new AbortController()
  stage.proxy.stall()
  stage.proxy.forget()
  const lines = stage.proxy.connections()
  const name = 'imap_search_messages'
  const options = { signal: leaving.signal }
  const answer = stage.postern.client.callTool({ name, arguments: { mailbox: 'INBOX' } }, options)
  // It waits for the mail server by then.
  await expect.poll(() => stage.proxy.sent() !== '' || stage.proxy.connections() > lines).toBe(true)
  leaving.abort()
  await expect(answer).rejects.toThrow()
  stage.proxy.flow()
  expect((await stage.postern.call(name, { mailbox: 'INBOX' })).data.status).toBe('ok')
  await expect
    .poll(async () =>
      (await auditRecords(stage.postern.dataDir)).filter(({ error_type }) => error_type === 'cancelled'),
    )
    .toHaveLength(1)
})

describe('the record', () => {
  test('every change has its intent before it, and its end after it', async () => {
    const [id = ''] = await stage.put('Recorded', [letter({})])
    await stage.put('Recorded elsewhere', [])
    await stage.postern.call('imap_update_message_flags', { message_id: id, add_flags: ['\\Seen'] })
    const copy = { message_id: id, destination_mailbox: 'Recorded elsewhere' }
    await stage.postern.call('imap_copy_message', copy)
    await stage.postern.call('imap_move_message', { message_id: id, destination_mailbox: 'Nowhere' })
    await stage.postern.call('imap_delete_message', { message_id: id, confirm: true })
    const records = await auditRecords(stage.postern.dataDir)
    const changes = /update|copy|move|delete/
    const ends = records.filter(({ tool, result }) => changes.test(tool) && result !== 'INTENT')
    const intents = new Map(records.filter(({ result }) => result === 'INTENT').map((record) => [record.seq, record]))
    expect(ends.slice(-4).map(({ tool, result }) => [tool, result])).toEqual([
      ['imap_update_message_flags', 'OK'],
      ['imap_copy_message', 'OK'],
      ['imap_move_message', 'ERROR'],
      ['imap_delete_message', 'OK'],
    ])
    for (const { intent_seq = -1, seq, tool, args_summary } of ends) {
      expect(intent_seq).toBeLessThan(seq)
      expect(intents.get(intent_seq)).toMatchObject({ tool, args_summary })
    }
    expect(ends.length).toBe(intents.size)
  })

  test('of all that happened here is one unbroken chain', async () => {
    const records = await auditRecords(stage.postern.dataDir)
    expect(records.length).toBeGreaterThan(200)
    expect(await verifyRecord(stage.postern.dataDir)).toMatch(/\d+/)
  })

  test('holds no search text, subject or body', async () => {
    const [id = ''] = await stage.put('Private', [letter({ subject: 'SUBJECT-canary', body: 'BODY-canary' })])
    await stage.postern.call('imap_search_messages', { mailbox: 'Private', query: 'BODY-canary' })
    await stage.postern.call('imap_get_message', { message_id: id })
    expect(JSON.stringify(await auditRecords(stage.postern.dataDir))).not.toContain('canary')
  })

  test('that cannot be written: no change is made, and nothing is read', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pa-'))
    // A file where the directory should be stops everybody, root included.
    await writeFile(join(dir, 'audit'), '')
    const postern = await startPostern({ ...account('default', stage.dovecot.port, ADA), ...WRITABLE }, dir)
    const [message_id = ''] = await stage.put('Unrecorded', [letter({})])
    const { summary, data } = await postern.call('imap_delete_message', { message_id, confirm: true })
    expect(summary).toMatch(/^0 of 1 messages deleted: /)
    expect(data).toMatchObject({ status: 'failed', steps_attempted: 0 })
    expect(await stage.ada.flags('Unrecorded', uidOf(message_id))).not.toContain('\\Deleted')
    const read = await postern.call('imap_get_message', { message_id })
    expect(read.data).toMatchObject({ status: 'failed' })
    expect(read.data).not.toHaveProperty('message')
    await postern.close()
    await rm(dir, { recursive: true, force: true })
  })
})
