/** A hundred calls at once, in one process and in four, on one approval: one letter leaves. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SendEnding } from '../../src/core/send-ending.ts'
import { Outbox } from '../../src/engine/outbox/outbox.ts'
import { closeSenders } from '../smtp/desk.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { type Agent, type Said, type Scene, startScene } from './scene.ts'
import { byHand, openPlace, PERSON, type Place, WISH } from './vault-place.ts'

const CALLS = 100
const PROCESSES = 4
const HAND_WRITTEN = byHand('type: email_send', 'to: bob@example.com', 'status: approved')

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

describe('calls at once in the outbox of one process', () => {
  let sink: Sink
  let place: Place
  let refusal: number | undefined
  let held: PromiseWithResolvers<void> | undefined
  beforeAll(async () => {
    sink = await startSink({
      refuse: ({ at }) => (at === 'mail' && refusal !== undefined ? { code: refusal } : undefined),
      pause: async () => held?.promise,
    })
    place = await openPlace({ port: sink.port })
  })
  afterAll(async () => {
    await place.close()
    await closeSenders()
    await sink.close()
  })

  const approve: Readonly<Record<string, (id: string) => Promise<void>>> = {
    'a file that was moved': async (id) => place.move(`${id}.md`, 'Pending_Approval', 'Approved'),
    'a file written by hand': async () => place.put('yes.md', HAND_WRITTEN),
    'a command': async (id) => void (await place.desk.approve(id, PERSON)),
  }

  const kinds = (endings: readonly SendEnding[]): ReadonlySet<string> => new Set(endings.map(({ kind }) => kind))

  test.each(Object.entries(approve))('of one letter, approved by %s', async (name, say) => {
    for (const round of [1, 2, 3]) {
      const wish = { ...WISH, subject: `${name} ${round}` }
      const first = await place.ask(wish)
      const before = sink.messages.length
      await say(first.kind === 'waiting' ? first.id : '')
      const endings = await Promise.all(times(CALLS, () => place.ask(wish)))
      expect(sink.messages).toHaveLength(before + 1)
      expect(endings.filter(({ kind }) => kind === 'sent')).toHaveLength(1)
      // The others say that it is under way, or has been sent.
      expect(kinds(endings)).toEqual(
        new Set(['sent', 'under_way', 'already_sent'].filter((kind) => kinds(endings).has(kind))),
      )
      const [entry] = await place.parts.store.list({ kinds: ['sent'], most: 1 })
      expect(entry).toMatchObject({ sending: { subject: wish.subject }, state: { filed: true } })
    }
    expect(place.files('Approved')).toEqual([])
    expect(await place.parts.store.list({ kinds: ['approved', 'claimed', 'needs_operator'], most: 9 })).toEqual([])
  })

  test('of one letter that nobody is asked about', async () => {
    const before = sink.messages.length
    place.rules = { ...place.rules, approval: 'never' }
    const endings = await Promise.all(times(CALLS, () => place.ask({ ...WISH, subject: 'free' })))
    place.rules = { ...place.rules, approval: 'always' }
    expect(endings.filter(({ kind }) => kind === 'sent')).toHaveLength(1)
    expect(sink.messages).toHaveLength(before + 1)
    expect(kinds(endings)).toEqual(
      new Set(['sent', 'under_way', 'already_sent'].filter((kind) => kinds(endings).has(kind))),
    )
  })

  test('of which one has seen the letter before another claimed it', async () => {
    const wish = { ...WISH, subject: 'seen before' }
    const first = await place.ask(wish)
    place.move(`${first.kind === 'waiting' ? first.id : ''}.md`, 'Pending_Approval', 'Approved')
    // It is approved and not sent: the server is away.
    refusal = 451
    await expect(place.ask(wish)).rejects.toMatchObject({ code: 'unavailable' })
    refusal = undefined
    const { vault } = place.parts
    const looked = Promise.withResolvers<void>()
    const mayLook = Promise.withResolvers<void>()
    const slowVault = {
      ...vault,
      approvals: async () => {
        looked.resolve()
        await mayLook.promise
        return vault.approvals()
      },
    }
    const slow = new Outbox({ ...place.parts, vault: slowVault })
    const before = sink.messages.length
    const late = slow.send(place.request(wish), new AbortController().signal)
    await looked.promise
    held = Promise.withResolvers<void>()
    const sending = place.ask(wish)
    await expect.poll(() => sink.named.at(-1)).toBe('bob@example.com')
    await expect.poll(() => place.files('Approved')).toEqual([])
    mayLook.resolve()
    expect(await late).toMatchObject({ kind: 'under_way' })
    held.resolve()
    expect(await sending).toMatchObject({ kind: 'sent' })
    expect(sink.messages).toHaveLength(before + 1)
  })

  test('of different letters that one file written by hand allows', async () => {
    const before = sink.messages.length
    place.put('yes.md', HAND_WRITTEN)
    const endings = await Promise.all(times(CALLS, (at) => place.ask({ ...WISH, subject: `different ${at}` })))
    expect(sink.messages).toHaveLength(before + 1)
    expect(endings.filter(({ kind }) => kind === 'sent')).toHaveLength(1)
    expect(endings.filter(({ kind }) => kind === 'waiting')).toHaveLength(CALLS - 1)
    expect(await place.parts.store.list({ kinds: ['approved', 'claimed', 'needs_operator'], most: 9 })).toEqual([])
  })
})

describe('calls at once to the program', () => {
  let scene: Scene
  let agents: readonly Agent[]
  beforeAll(async () => {
    scene = await startScene()
    agents = await Promise.all(times(PROCESSES, () => scene.agent()))
  })
  afterAll(() => scene.close())

  const approve: Readonly<Record<string, (id: string) => Promise<void>>> = {
    'a file that was moved': (id) => scene.move(`${id}.md`, 'Pending_Approval', 'Approved'),
    'a file written by hand': async () => {
      await mkdir(join(scene.vault, 'Approved'), { recursive: true })
      await writeFile(join(scene.vault, 'Approved', 'yes.md'), HAND_WRITTEN)
    },
    'a command': async (id) => expect(await scene.postern('approve', id, '--yes')).toMatchObject({ code: 0 }),
  }

  const SENT = /^Email sent successfully\. Message ID: \S+ Thread ID: \S+$/
  const UNDER_WAY = /^Error sending email: another call is sending this very email\. Do not send it again\.$/
  const SENT_BEFORE = /^Rejected: already sent \(\S+, \S+Z\)\. /

  test.each(
    Object.entries(approve).flatMap(([name, say]) => [
      { name, say, processes: 1 },
      { name, say, processes: PROCESSES },
    ]),
  )('of $processes processes, approved by $name', async ({ name, say, processes }) => {
    const letter = { to: 'bob@example.com', subject: `${name} ${processes}`, body: 'Once.' }
    const waiting = await agents[0]?.say('send_email', letter)
    const id = /Pending_Approval\/(\S+)\.md/.exec(waiting?.text ?? '')?.[1] ?? ''
    const before = scene.sink.messages.length
    await say(id)
    const said: Said[] = await Promise.all(
      agents.slice(0, processes).flatMap((agent) => times(CALLS / processes, () => agent.say('send_email', letter))),
    )
    expect(scene.sink.messages).toHaveLength(before + 1)
    expect(said.filter(({ text }) => SENT.test(text))).toHaveLength(1)
    expect(said.filter(({ text }) => ![SENT, UNDER_WAY, SENT_BEFORE].some((known) => known.test(text)))).toEqual([])
    expect(await readdir(join(scene.vault, 'Approved'))).toEqual([])
    const { stdout } = await scene.postern('outbox', '--json')
    expect(stdout).not.toMatch(/"state":"(?:approved|claimed|needs_operator)"/)
  })

  test('leave one copy of each letter among what was sent', async () => {
    expect(await scene.ada.imap.status('Sent', { messages: true })).toMatchObject({
      messages: scene.sink.messages.length,
    })
  })
})
