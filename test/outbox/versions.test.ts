/** What recipients will not see has to be acknowledged; a person can send another version instead. */
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import type { AuditEntry } from '../../src/core/audit/record.ts'
import { Failure } from '../../src/core/failure.ts'
import { WAITING_MS } from '../../src/core/outbox/entry.ts'
import { createOutboxDesk } from '../../src/engine/outbox/operator-desk.ts'
import { resumeOutbox } from '../../src/engine/outbox/resume.ts'
import { htmlCleaner, htmlReviewer } from '../../src/engine/outbox/review.ts'
import { sendVersions } from '../../src/engine/outbox/versions.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { closeSenders } from '../smtp/desk.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { byHand, openPlace, PERSON, type Place, WISH } from './vault-place.ts'

const never = new AbortController().signal
const content = createContentReader(silentLog)
const review = htmlReviewer(content)
const TRICK = {
  ...WISH,
  bcc: ['secret@example.net'],
  body: 'Shall we say noon?',
  html: '<p>Shall we say <a href="https://noon.example/">noon</a>?</p><p style="display:none">the code is 4711</p><img src="https://tracker.example/p.gif">',
  attached: [{ filename: 'plan.txt', type: 'text/plain', text: 'the plan' }],
  answers: { thread: 't1', messageId: '<first@example.com>' },
}

let sink: Sink
let place: Place
let records: AuditEntry[]

beforeAll(async () => {
  sink = await startSink()
})
beforeEach(async () => {
  records = []
  const audit = { append: async (record: AuditEntry) => ({ seq: records.push(record) }), close: async () => undefined }
  place = await openPlace({ port: sink.port, more: { audit, review, safeHtml: htmlCleaner(content) } })
})
afterEach(() => place.close())
afterAll(async () => {
  await closeSenders()
  await sink.close()
  await content.close()
})

async function waiting(): Promise<string> {
  const ending = await place.ask(TRICK)
  return ending.kind === 'waiting' ? ending.id : expect.unreachable()
}

test('hidden content is approved only with the acknowledgement, and leaves with it', async () => {
  const id = await waiting()
  await expect(place.desk.approve(id, PERSON)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('hidden text (1), loads when opened (1)'),
  })
  expect([(await place.parts.store.get(id))?.state.kind, records]).toEqual(['waiting', []])
  expect((await place.desk.approve(id, PERSON, true)).state.kind).toBe('approved')
  expect((await place.ask(TRICK)).kind).toBe('sent')
  expect(sink.messages.at(-1)?.bytes.toString()).toMatch(/the code is 4711/)
})

test('the file of the vault says first what recipients will not see', async () => {
  const id = await waiting()
  const [, text = ''] = place.read('Pending_Approval', `${id}.md`).split('\n---\n')
  const lines = text.split('\n').filter((line) => /^ {4}\S/.test(line))
  expect(lines.slice(0, 3)).toEqual([
    '    Hidden:   recipients will not see the following. Approving the',
    '    !         hidden text: the code is 4711',
    '    !         loads when opened, img src: https://tracker.example/p.gif',
  ])
  expect(text).toContain('secret@example.net')
  expect(text.replace(/\s+/g, '')).toContain(createHash('sha256').update('the plan').digest('hex'))
})

test.each([
  ['plain_text', 'as plain text'],
  ['without_hidden', 'without hidden content'],
] as const)('a version %s is another message, which the person approves and Postern sends once', async (how, words) => {
  const before = sink.messages.length
  const id = await waiting()
  const version = await place.desk.revise(id, how, PERSON, never)
  const original = await place.parts.store.get(id)
  expect(version.sending.version).toEqual({ of: id, by: PERSON.name, how })
  expect([version.state.kind, original?.state.kind, version.digest === original?.digest]).toEqual([
    'waiting',
    'waiting',
    false,
  ])
  expect((await place.desk.show(version.id, never)).review.unseen).toEqual([])
  expect((await place.desk.approve(version.id, PERSON)).state.kind).toBe('sent')
  expect(sink.messages.length).toBe(before + 1)
  const { bytes, recipients } = sink.messages.at(-1) ?? expect.unreachable()
  const raw = bytes.toString()
  expect(raw).not.toMatch(/4711|tracker/)
  expect(raw).toMatch(/Shall we say/)
  expect(raw.includes('text/html')).toBe(how === 'without_hidden')
  expect(raw).toContain('In-Reply-To: <first@example.com>')
  expect(raw).toContain(Buffer.from('the plan').toString('base64'))
  expect(recipients).toEqual(['bob@example.com', 'secret@example.net'])
  // The first is not sent, now or when the agent asks again.
  const reason = `a version of it ${words} was approved instead; Postern sends that version (${version.id}), so do not send it again`
  expect(await place.ask(TRICK)).toMatchObject({ kind: 'rejected', reason })
  await expect(place.desk.approve(id, PERSON, true)).rejects.toMatchObject({ code: 'conflict' })
  await sendVersions(place.parts)
  expect(sink.messages.length).toBe(before + 1)
  expect(records.map(({ tool }) => tool)).toEqual(['outbox_revise', 'outbox_approve', 'outbox_reject'])
})

test('a version of what was sent meanwhile is not sent as well', async () => {
  const before = sink.messages.length
  const id = await waiting()
  const version = await place.desk.revise(id, 'plain_text', PERSON, never)
  await place.desk.approve(id, PERSON, true)
  expect((await place.ask(TRICK)).kind).toBe('sent')
  await expect(place.desk.approve(version.id, PERSON)).rejects.toMatchObject({ code: 'conflict' })
  await sendVersions(place.parts)
  expect(sink.messages.length).toBe(before + 1)
})

test('where the process that approves may not send, another one sends the version', async () => {
  const before = sink.messages.length
  const id = await waiting()
  const version = await place.desk.revise(id, 'plain_text', PERSON, never)
  const terminal = createOutboxDesk({ ...place.parts, devMode: true })
  expect((await terminal.approve(version.id, PERSON)).state.kind).toBe('approved')
  await sendVersions({ ...place.parts, devMode: true })
  expect(sink.messages.length).toBe(before)
  await Promise.all([sendVersions(place.parts), sendVersions(place.parts)])
  expect(sink.messages.length).toBe(before + 1)
})

test('of several versions of one message only one is sent', async () => {
  const before = sink.messages.length
  const id = await waiting()
  const text = await place.desk.revise(id, 'plain_text', PERSON, never)
  const clean = await place.desk.revise(id, 'without_hidden', PERSON, never)
  expect((await place.desk.approve(clean.id, PERSON)).state.kind).toBe('sent')
  await expect(place.desk.approve(text.id, PERSON)).rejects.toMatchObject({ code: 'conflict' })
  expect(sink.messages.length).toBe(before + 1)
})

test('of two versions that are approved at once exactly one is sent', async () => {
  const before = sink.messages.length
  const id = await waiting()
  const text = await place.desk.revise(id, 'plain_text', PERSON, never)
  const clean = await place.desk.revise(id, 'without_hidden', PERSON, never)
  const other = createOutboxDesk(place.parts)
  const ends = await Promise.allSettled([place.desk.approve(text.id, PERSON), other.approve(clean.id, PERSON)])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(sink.messages.length).toBe(before + 1)
})

test('where a version cannot be approved, the message that it replaces is as it was', async () => {
  const id = await waiting()
  const version = await place.desk.revise(id, 'plain_text', PERSON, never)
  const { store } = place.parts
  const away = { ...store, recordAll: () => Promise.reject(new Failure('unavailable', 'the outbox cannot be written')) }
  const desk = createOutboxDesk({ ...place.parts, store: away })
  await expect(desk.approve(version.id, PERSON)).rejects.toMatchObject({ code: 'unavailable' })
  expect((await store.get(id))?.state.kind).toBe('waiting')
  const gone = { id: version.id, event: { kind: 'reject', by: 'x', at: 1, reason: undefined } } as const
  const late = { id, event: { kind: 'tell' } } as const
  await expect(store.recordAll([gone, late])).rejects.toMatchObject({ code: 'conflict' })
  expect((await store.get(version.id))?.state.kind).toBe('waiting')
})

test('a version of a version replaces the message that the agent wrote', async () => {
  const before = sink.messages.length
  const id = await waiting()
  const clean = await place.desk.revise(id, 'without_hidden', PERSON, never)
  const text = await place.desk.revise(clean.id, 'plain_text', PERSON, never)
  expect((await place.desk.approve(text.id, PERSON)).state.kind).toBe('sent')
  await expect(place.desk.approve(id, PERSON, true)).rejects.toMatchObject({ code: 'conflict' })
  expect(await place.ask(TRICK)).toMatchObject({ kind: 'rejected' })
  expect(sink.messages.length).toBe(before + 1)
})

test('a version has no file in the vault, which nothing would read', async () => {
  const id = await waiting()
  const version = await place.desk.revise(id, 'plain_text', PERSON, never)
  await resumeOutbox(place.parts)
  expect(place.files('Pending_Approval')).toEqual([`${id}.md`])
  expect((await place.parts.store.get(version.id))?.state.kind).toBe('waiting')
})

test('a version that was rejected can be made again', async () => {
  const before = sink.messages.length
  const id = await waiting()
  const first = await place.desk.revise(id, 'plain_text', PERSON, never)
  await place.desk.reject(first.id, PERSON, undefined)
  const second = await place.desk.revise(id, 'plain_text', PERSON, never)
  // The same request is pending again, beside no other.
  expect([second.state.kind, second.id]).toEqual(['waiting', first.id])
  const family = (await place.parts.store.list({ most: 100 })).filter(({ sending }) => sending.version?.of === id)
  expect(family).toEqual([second])
  expect(records.map(({ tool }) => tool)).toEqual(['outbox_revise', 'outbox_reject', 'outbox_revise'])
  expect((await place.desk.approve(second.id, PERSON)).state.kind).toBe('sent')
  expect(sink.messages.length).toBe(before + 1)
})

test('a rejected version that is asked for several times at once is made once', async () => {
  const id = await waiting()
  const first = await place.desk.revise(id, 'plain_text', PERSON, never)
  await place.desk.reject(first.id, PERSON, undefined)
  const made = await Promise.all([1, 2, 3].map(() => place.desk.revise(id, 'plain_text', PERSON, never)))
  expect([...new Set(made.map((version) => `${version.id} ${version.state.kind}`))]).toEqual([`${first.id} waiting`])
})

test('asking for a version that is there already makes none and adds no audit record', async () => {
  const id = await waiting()
  const version = await place.desk.revise(id, 'plain_text', PERSON, never)
  expect(await place.desk.revise(id, 'plain_text', PERSON, never)).toEqual(version)
  expect(records.map(({ args_summary }) => args_summary)).toMatchObject([{ outbox_id: version.id }])
})

test('no version is made of a message that has expired', async () => {
  const id = await waiting()
  place.now += WAITING_MS
  await expect(place.desk.revise(id, 'plain_text', PERSON, never)).rejects.toMatchObject({ code: 'conflict' })
  expect((await place.parts.store.list({ most: 9 })).map(({ state }) => state.kind)).toEqual(['expired'])
  expect(records).toEqual([])
})

test('a call for a message like a version makes no file of the version, and no file approves it', async () => {
  const before = sink.messages.length
  const id = await waiting()
  const version = await place.desk.revise(id, 'plain_text', PERSON, never)
  const { html: _, ...like } = TRICK
  const similar = { letter: expect.anything(), kind: 'similar', id: version.id, isVersion: true }
  expect(await place.ask(like)).toEqual({ ...similar, standing: 'pending' })
  expect(place.files('Pending_Approval')).toEqual([`${id}.md`])
  const { digest } = version
  place.put('by-hand.md', byHand(`id: ${version.id}`, 'type: email_reply', `digest: ${digest}`, 'status: approved'))
  expect(await place.ask(like)).toEqual({ ...similar, standing: 'pending' })
  await sendVersions(place.parts)
  expect(sink.messages.length).toBe(before)
  await createOutboxDesk({ ...place.parts, devMode: true }).approve(version.id, PERSON)
  expect(await place.ask(like)).toEqual({ ...similar, standing: 'approved' })
})

test('versions do not count towards the limit of what the agent may have pending', async () => {
  const id = await waiting()
  const size = (await place.parts.store.bytes(id)).length
  const version = await place.desk.revise(id, 'plain_text', PERSON, never)
  await place.desk.revise(id, 'without_hidden', PERSON, never)
  expect(await place.parts.store.held(TRICK.caller, place.now)).toEqual({ messages: 1, bytes: size })
  place.rules = { ...place.rules, pendingLimit: { messages: 2, bytes: 1024 ** 2 } }
  expect((await place.ask({ ...WISH, subject: 'Another' })).kind).toBe('waiting')
  expect((await place.ask({ ...WISH, subject: 'One too many' })).kind).toBe('pending_limit')
  // The agent still hears of a version of its message.
  const unsent = await place.parts.store.unsent(TRICK.caller, TRICK.account, place.now)
  expect(unsent.map((entry) => entry.id)).toContain(version.id)
})

test('a version is sent however many approved messages wait for their agent', async () => {
  const id = await waiting()
  const { store, newId } = place.parts
  const version = await place.desk.revise(id, 'plain_text', PERSON, never)
  await createOutboxDesk({ ...place.parts, devMode: true }).approve(version.id, PERSON)
  const original = (await store.get(id)) ?? expect.unreachable()
  for (let at = 1; at <= 120; at += 1) {
    const other = { ...original, id: newId(), digest: createHash('sha256').update(`${at}`).digest('hex') }
    await store.queue({ ...other, created: place.now + at }, Buffer.from('x'), place.rules.pendingLimit)
    await store.record(other.id, { kind: 'approve', approval: { via: 'command', by: 'anna', at: place.now } })
  }
  await sendVersions(place.parts)
  expect((await store.get(version.id))?.state.kind).toBe('sent')
})
