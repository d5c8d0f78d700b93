/** What somebody decides about a letter is on record, whichever way it was said, and before anything comes of it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AuditEntry } from '../../src/core/audit/record.ts'
import { Failure } from '../../src/core/failure.ts'
import { closeSenders } from '../smtp/desk.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { openPlace, type Place, WISH } from './vault-place.ts'

let sink: Sink
let place: Place
let records: AuditEntry[]
let isFull: boolean

beforeAll(async () => {
  sink = await startSink()
})
beforeEach(async () => {
  records = []
  isFull = false
  const audit = {
    async append(record: AuditEntry) {
      if (isFull) throw new Failure('unavailable', 'the audit log cannot be written: no space is left')
      return { seq: records.push(record) }
    },
    close: async () => undefined,
  }
  place = await openPlace({ port: sink.port, more: { audit } })
})
afterEach(() => place.close())
afterAll(async () => {
  await closeSenders()
  await sink.close()
})

async function waitingId(): Promise<string> {
  const ending = await place.ask(WISH)
  return ending.kind === 'waiting' ? ending.id : expect.unreachable()
}

test('a file that was moved among the approved', async () => {
  const id = await waitingId()
  expect(records).toEqual([])
  place.move(`${id}.md`, 'Pending_Approval', 'Approved')
  // Many at once find the same file.
  const endings = await Promise.all(Array.from({ length: 20 }, () => place.ask(WISH)))
  expect(endings.filter(({ kind }) => kind === 'sent')).toHaveLength(1)
  expect(records).toMatchObject([
    {
      tool: 'outbox_approve',
      caller_id: 'vault',
      caller_addr: 'vault',
      reason: 'file',
      args_summary: { outbox_id: id, to: ['b***@example.com'] },
    },
  ])
})

test('a file that was moved among the rejected', async () => {
  const id = await waitingId()
  place.move(`${id}.md`, 'Pending_Approval', 'Rejected')
  expect(await place.ask(WISH)).toMatchObject({ kind: 'rejected' })
  expect(await place.ask(WISH)).toMatchObject({ kind: 'rejected' })
  expect(records).toMatchObject([{ tool: 'outbox_reject', caller_id: 'vault', reason: 'file' }])
})

test('a yes in the agent’s own program, where that suffices', async () => {
  place.rules = { ...place.rules, elicitation: 'sufficient' }
  const { signal } = new AbortController()
  const request = { ...place.request(WISH), ask: async () => 'accepted' as const }
  expect(await place.outbox.send(request, signal)).toMatchObject({ kind: 'sent' })
  expect(records).toMatchObject([{ tool: 'outbox_approve', caller_addr: 'agent', reason: 'elicitation' }])
})

test('one that was decided elsewhere, while somebody was asked there, is not approved once more', async () => {
  place.rules = { ...place.rules, elicitation: 'sufficient' }
  const ask = async (): Promise<'accepted'> => {
    const [entry] = await place.parts.store.list({ most: 1 })
    await place.parts.store.record(entry?.id ?? '', { kind: 'reject', by: 'ann', at: place.now, reason: undefined })
    return 'accepted'
  }
  const { signal } = new AbortController()
  expect(await place.outbox.send({ ...place.request(WISH), ask }, signal)).toMatchObject({ kind: 'rejected' })
  expect(records).toEqual([])
})

test('what a rule decides is no decision of anybody', async () => {
  place.rules = { ...place.rules, approval: 'never' }
  expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
  expect(records).toEqual([])
})

test('nothing comes of a yes that cannot be put on record', async () => {
  const id = await waitingId()
  place.move(`${id}.md`, 'Pending_Approval', 'Approved')
  const before = sink.messages.length
  isFull = true
  await expect(place.ask(WISH)).rejects.toThrow(/the audit log cannot be written/)
  expect(sink.messages).toHaveLength(before)
  isFull = false
  expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
})
