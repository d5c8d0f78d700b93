/**
 * What a caller hears that asks again: what became of that very message, of one that is like it but for small edits, and that too
 * many of its messages wait already.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SEND_DEFAULTS } from '../../src/core/policy/sending.ts'
import type { SendEnding } from '../../src/core/send-ending.ts'
import { Outbox } from '../../src/engine/outbox/outbox.ts'
import { closeSenders } from '../smtp/desk.ts'
import { type SmtpProxy, startProxy } from '../smtp/proxy.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { type Scene, startScene } from './scene.ts'
import { byHand, NOW, openPlace, PERSON, type Place, WISH, type Wish } from './vault-place.ts'

const DAY = 24 * 60 * 60 * 1000
const BY_HAND = byHand('type: email_send', 'to: bob@example.com', 'status: approved')
let sink: Sink
let proxy: SmtpProxy
const places: Place[] = []

beforeAll(async () => {
  sink = await startSink()
  proxy = await startProxy(sink.port)
})
afterEach(async () => {
  proxy.arrange()
  for (const place of places.splice(0)) await place.close()
})
afterAll(async () => {
  await closeSenders()
  await proxy.close()
  await sink.close()
})

async function newPlace(directory?: string): Promise<Place> {
  const place = await openPlace({ port: proxy.port, ...(directory !== undefined && { directory }) })
  places.push(place)
  return place
}

function idOf(ending: SendEnding): string {
  return 'id' in ending ? ending.id : ''
}

const REWORDED: Wish = { ...WISH, body: 'Shall we say, noon?' }
const APPROVED: Readonly<Record<string, (place: Place, id: string) => Promise<unknown>>> = {
  'a file that was moved': async (place, id) => place.move(`${id}.md`, 'Pending_Approval', 'Approved'),
  'a command': (place, id) => place.desk.approve(id, PERSON),
}

describe('the same message, asked for again', () => {
  test('is pending, then sent, and then was sent', async () => {
    const place = await newPlace()
    const first = await place.ask(WISH)
    expect(first).toMatchObject({ kind: 'waiting', byHand: true })
    expect(await place.ask(WISH)).toEqual(first)
    await place.desk.approve(idOf(first), PERSON)
    const before = sink.messages.length
    const sent = await place.ask(WISH)
    expect(sent).toMatchObject({ kind: 'sent' })
    place.now += 1000
    const { messageId, threadId } = sent as Extract<SendEnding, { kind: 'sent' }>
    const again = { kind: 'already_sent', id: idOf(first), at: NOW, messageId, threadId }
    expect(await place.ask(WISH)).toMatchObject(again)
    expect(await (await newPlace(place.directory)).ask(WISH)).toMatchObject(again)
    expect(sink.messages).toHaveLength(before + 1)
    expect(await place.parts.store.list({ most: 9 })).toHaveLength(1)
    place.now = NOW + DAY
    expect(await place.ask(WISH)).toMatchObject({ kind: 'waiting' })
  })

  test('is not sent again where nobody is asked either', async () => {
    const place = await newPlace()
    place.rules = { ...place.rules, approval: 'never' }
    const before = sink.messages.length
    expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
    expect(await place.ask(WISH)).toMatchObject({ kind: 'already_sent', at: NOW })
    expect(sink.messages).toHaveLength(before + 1)
    place.now = NOW + DAY
    expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
  })

  test('is rejected, with the reason', async () => {
    const place = await newPlace()
    const id = idOf(await place.ask(WISH))
    await place.desk.reject(id, PERSON, 'not on a Friday')
    expect(await place.ask(WISH)).toMatchObject({ kind: 'rejected', id, reason: 'not on a Friday' })
  })

  test('is rejected until the request would have expired, and waits as a new request after that', async () => {
    const place = await newPlace()
    const id = idOf(await place.ask(WISH))
    await place.desk.reject(id, PERSON, undefined)
    place.now = NOW + DAY - 1
    expect(await place.ask(WISH)).toMatchObject({ kind: 'rejected', id })
    place.now = NOW + DAY
    const again = await place.ask(WISH)
    expect(again).toMatchObject({ kind: 'waiting' })
    expect(idOf(again)).not.toBe(id)
  })

  test('expired, and waits as a new request', async () => {
    const place = await newPlace()
    const id = idOf(await place.ask(WISH))
    place.now = NOW + DAY
    const again = await place.ask(WISH)
    expect(again).toMatchObject({ kind: 'waiting', earlier: { id, state: 'expired', at: NOW + DAY } })
    expect(idOf(again)).not.toBe(id)
    // It is said once; then the new request is what is asked for.
    expect(await place.ask(WISH)).toEqual({ ...again, earlier: undefined })
  })

  test('has an unknown outcome; once that is settled the first call hears that it was sent', async () => {
    const place = await newPlace()
    const id = idOf(await place.ask(WISH))
    await place.desk.approve(id, PERSON)
    proxy.arrange({ at: /\r\n\.\r\n$/, does: 'cut', always: true })
    expect(await place.ask(WISH)).toMatchObject({ kind: 'needs_operator', id })
    proxy.arrange()
    expect(await place.ask(WISH)).toMatchObject({ kind: 'needs_operator', id })
    await place.desk.settle(id, true, PERSON)
    const other = await newPlace(place.directory)
    const heard = await Promise.all([place, other, place, other].map((one) => one.ask(WISH)))
    expect(heard.filter(({ kind }) => kind === 'sent')).toEqual([
      expect.objectContaining({
        messageId: expect.stringMatching(/^<.+>$/),
        threadId: expect.any(String),
        sentBefore: true,
      }),
    ])
    expect(heard.filter(({ kind }) => kind === 'already_sent')).toHaveLength(3)
  })

  test('that was not sent after all waits as a new request', async () => {
    const place = await newPlace()
    const id = idOf(await place.ask(WISH))
    await place.desk.approve(id, PERSON)
    proxy.arrange({ at: /\r\n\.\r\n$/, does: 'cut', always: true })
    await place.ask(WISH)
    proxy.arrange()
    await place.desk.settle(id, false, PERSON)
    expect(await place.ask(WISH)).toMatchObject({ kind: 'waiting', earlier: { id, state: 'failed' } })
  })
})

describe('a message with a comma more', () => {
  test.each(Object.entries(APPROVED))('than one approved by %s is answered with that one', async (_how, approve) => {
    const place = await newPlace()
    const id = idOf(await place.ask(WISH))
    await approve(place, id)
    const before = sink.messages.length
    expect(await place.ask(REWORDED)).toMatchObject({ kind: 'similar', id, standing: 'approved' })
    expect(await place.parts.store.list({ most: 9 })).toHaveLength(1)
    expect([...place.files('Pending_Approval')]).toEqual([])
    expect(sink.messages).toHaveLength(before)
    // The approved text goes out as it is; then the other one is a message of its own.
    expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
    expect(await place.ask(REWORDED)).toMatchObject({ kind: 'waiting' })
  })

  test('than one that is pending is answered with that one, until a person has rejected it', async () => {
    const place = await newPlace()
    const id = idOf(await place.ask(WISH))
    const file = `vault/Pending_Approval/${id}.md`
    expect(await place.ask(REWORDED)).toMatchObject({ kind: 'similar', id, standing: 'pending', file })
    expect(place.files('Pending_Approval')).toEqual([`${id}.md`])
    place.move(`${id}.md`, 'Pending_Approval', 'Rejected')
    const own = await place.ask(REWORDED)
    expect(own).toMatchObject({ kind: 'waiting' })
    expect(idOf(own)).not.toBe(id)
  })

  test('is not taken for one of another caller or to others, nor for one that says something else', async () => {
    const place = await newPlace()
    await place.ask(WISH)
    const others: readonly Wish[] = [
      { ...REWORDED, caller: 'other' },
      { ...REWORDED, to: ['carol@example.com'] },
      { ...REWORDED, cc: ['carol@example.com'] },
      { ...WISH, body: 'Shall we say 12?' },
      { ...REWORDED, subject: 'Dinner' },
    ]
    for (const wish of others) expect(await place.ask(wish)).toMatchObject({ kind: 'waiting' })
  })

  test('goes out where a file written by hand allows it, or nobody is asked', async () => {
    const place = await newPlace()
    await place.ask(WISH)
    place.put('yes.md', BY_HAND)
    expect(await place.ask(REWORDED)).toMatchObject({ kind: 'sent' })
    place.rules = { ...place.rules, approval: 'never' }
    expect(await place.ask({ ...WISH, body: 'Shall we say noon!' })).toMatchObject({ kind: 'sent' })
  })

  test('is asked about where the answer given there is enough', async () => {
    const place = await newPlace()
    await place.ask(WISH)
    place.rules = { ...place.rules, elicitation: 'sufficient' }
    const request = { ...place.request(REWORDED), ask: async () => 'accepted' as const }
    expect(await place.outbox.send(request, new AbortController().signal)).toMatchObject({ kind: 'sent' })
  })
})

describe('what may wait', () => {
  const flood = (at: number): Wish => ({ ...WISH, subject: `Flood ${at}`, body: `${at} ${'word '.repeat(80_000)}` })

  test('is bounded: 300 messages of 400 kB at two processes', async () => {
    const place = await newPlace()
    const { pendingLimit } = SEND_DEFAULTS
    const outboxes = [place, await newPlace(place.directory)]
    for (const one of outboxes) one.rules = { ...one.rules, pendingLimit }
    const kinds: string[] = []
    for (let at = 0; at < 300; at += 4) {
      const asked = [0, 1, 2, 3].map((more) => outboxes[more % 2]?.ask(flood(at + more)))
      kinds.push(...(await Promise.all(asked)).map((ending) => ending?.kind ?? ''))
    }
    expect(new Set(kinds)).toEqual(new Set(['waiting', 'pending_limit']))
    const waiting = await place.parts.store.list({ kinds: ['waiting'], most: 1000 })
    expect(waiting).toHaveLength(kinds.filter((kind) => kind === 'waiting').length)
    expect(place.files('Pending_Approval')).toHaveLength(waiting.length)
    const held = await place.parts.store.held('local', NOW)
    expect(held.messages).toBeGreaterThan(40)
    expect(held.messages).toBeLessThanOrEqual(pendingLimit.messages)
    expect(held.bytes).toBeLessThanOrEqual(pendingLimit.bytes)
    // What waits already is still answered for, another caller is not held up, and a decision makes room.
    const first = await place.ask(flood(0))
    expect(first).toMatchObject({ kind: 'waiting' })
    const refused = flood(299)
    expect(await place.ask(refused)).toMatchObject({ kind: 'pending_limit', held, limit: pendingLimit })
    expect(await place.ask({ ...WISH, caller: 'other' })).toMatchObject({ kind: 'waiting' })
    await place.desk.reject(idOf(first), PERSON, undefined)
    expect(await place.ask(refused)).toMatchObject({ kind: 'waiting' })
  })

  test('is bounded where nobody is asked and all wait for their turn', async () => {
    const place = await openPlace({ port: proxy.port, more: { limit: { most: 1, lengthMs: DAY } } })
    places.push(place)
    place.rules = { ...place.rules, approval: 'never', pendingLimit: { messages: 1, bytes: 1000 } }
    const kinds = []
    for (const at of [1, 2, 3]) kinds.push((await place.ask({ ...WISH, subject: `Turn ${at}` })).kind)
    expect(kinds).toEqual(['sent', 'limited', 'pending_limit'])
  })

  test('costs no look at the mailbox beyond the limit', async () => {
    const place = await newPlace()
    place.rules = { ...place.rules, pendingLimit: { messages: 1, bytes: 1000 } }
    await place.ask(WISH)
    const account = place.parts.accounts.current.get('work')
    const source = new Proxy(account.source, {
      get: () => {
        throw new Error('the mailbox was looked at')
      },
    })
    const request = { ...place.request({ ...WISH, subject: 'Another' }), account: { ...account, source } }
    const ending = await new Outbox(place.parts).send(request, new AbortController().signal)
    expect(ending).toMatchObject({ kind: 'pending_limit', held: { messages: 1 } })
  })
})

describe('accounts of the environment', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
    await mkdir(join(scene.vault, 'Approved'), { recursive: true })
  })
  afterAll(() => scene.close())

  const letter = { to: 'bob@example.com', subject: 'By hand', body: 'Hello' }
  const FIRST = 'Rejected: No matching approval file found in vault/Approved/ for sending to b***@example.com. '

  test('take a file written by hand unless POSTERN_REQUIRE_DIGEST says otherwise', async () => {
    const strict = await scene.agent({ POSTERN_REQUIRE_DIGEST: 'true' })
    const asked = await strict.say('send_email', letter)
    expect(
      asked.text.startsWith(`${FIRST}A person must approve it, not you: do not create, edit or move approval files`),
    ).toBe(true)
    await writeFile(join(scene.vault, 'Approved', 'yes.md'), BY_HAND)
    const refused = await strict.say('send_email', letter)
    expect(refused.text).toContain('Note: yes.md has no digest, which is required here.')
    expect(scene.sink.messages).toHaveLength(0)
    const usual = await scene.agent()
    const { text } = await usual.say('send_email', letter)
    expect(text).toMatch(/^Email sent successfully\. Message ID: /)
    const other = await usual.say('send_email', { ...letter, subject: 'Another' })
    expect(
      other.text.startsWith(
        `${FIRST}Create an approval file with type: email_send and move it to vault/Approved/. That is for a person to do, not for you: `,
      ),
    ).toBe(true)
    expect((await usual.say('send_email', letter)).text).toMatch(/^Rejected: already sent \(\S+, \S+Z\)\. /)
    expect(scene.sink.messages).toHaveLength(1)
    const { stdout } = await scene.postern('check')
    expect(stdout).toContain('an approval file written by hand counts too, unless POSTERN_REQUIRE_DIGEST=true')
  })
})
