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
/** What happens while something is put on record. */
let meanwhile: () => void

beforeAll(async () => {
  sink = await startSink()
})
beforeEach(async () => {
  records = []
  isFull = false
  meanwhile = () => undefined
  const audit = {
    async append(record: AuditEntry) {
      if (isFull) throw new Failure('unavailable', 'the audit log cannot be written: no space is left')
      meanwhile()
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

test('one that was put among the rejected while somebody was asked elsewhere is rejected', async () => {
  place.rules = { ...place.rules, elicitation: 'sufficient' }
  const before = sink.messages.length
  const ask = async (): Promise<'accepted'> => {
    for (const file of place.files('Pending_Approval')) place.move(file, 'Pending_Approval', 'Rejected')
    return 'accepted'
  }
  const { signal } = new AbortController()
  expect(await place.outbox.send({ ...place.request(WISH), ask }, signal)).toMatchObject({ kind: 'rejected' })
  expect(records).toMatchObject([{ tool: 'outbox_reject', caller_id: 'vault', reason: 'file' }])
  expect(sink.messages).toHaveLength(before)
})

const yes = (to: string): string => `---\ntype: email_send\nstatus: approved\nto: ${to}\n---\n`

test.each([
  ['says that it is rejected', yes('bob@example.com').replace('approved', 'rejected')],
  ['allows another letter', yes('carol@example.com')],
  ['cannot be read', 'hello'],
])('a file that %s by the time it is used up allows nothing, and stays', async (_what, later) => {
  const before = sink.messages.length
  place.put('yes.md', yes('bob@example.com'))
  meanwhile = () => place.put('yes.md', later)
  expect(await place.ask(WISH)).toMatchObject({ kind: 'waiting' })
  expect(sink.messages).toHaveLength(before)
  expect(place.files('Approved')).toEqual(['yes.md'])
  expect(place.read('Approved', 'yes.md')).toBe(later)
  meanwhile = () => undefined
  place.put('yes.md', yes('bob@example.com'))
  expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
})

test('one that is put among the rejected while its approval is put on record stays, and is rejected', async () => {
  const before = sink.messages.length
  const id = await waitingId()
  place.put('yes.md', yes('bob@example.com'))
  meanwhile = () => place.move(`${id}.md`, 'Pending_Approval', 'Rejected')
  expect(await place.ask(WISH)).toMatchObject({ kind: 'waiting' })
  expect(place.files('Approved')).toEqual(['yes.md'])
  meanwhile = () => undefined
  expect(await place.ask(WISH)).toMatchObject({ kind: 'rejected' })
  expect(records.map(({ tool }) => tool)).toEqual(['outbox_approve', 'outbox_reject'])
  expect(sink.messages).toHaveLength(before)
})
