/**
 * A process that is killed at every step of the outbox, and what the next one makes of it: at most one letter leaves, none is
 * called sent that did not, one that may have left waits for a person, and nothing is stuck.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OutboxEntry } from '../../src/core/outbox/entry.ts'
import type { SendRules } from '../../src/core/policy/sending.ts'
import type { SendEnding } from '../../src/core/results.ts'
import { resumeOutbox } from '../../src/engine/outbox/resume.ts'
import { closeSenders } from '../smtp/desk.ts'
import { type SmtpProxy, startProxy } from '../smtp/proxy.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { runOutbox } from './crash-order.ts'
import { byHand, openPlace, PERSON, type Place, WISH, type Wish } from './vault-place.ts'

const MINUTE = 60_000
let sink: Sink
let proxy: SmtpProxy
let place: Place
/** How the server answers a sender, where it does not take him. */
let refusal: number | undefined

beforeAll(async () => {
  sink = await startSink({
    refuse: ({ at }) => (at === 'mail' && refusal !== undefined ? { code: refusal } : undefined),
  })
  proxy = await startProxy(sink.port)
  place = await openPlace({ port: proxy.port })
})
afterAll(async () => {
  await place.close()
  await closeSenders()
  await proxy.close()
  await sink.close()
})

/** How a letter comes to be approved before the process asks for it that is killed. */
const WAYS: Readonly<Record<string, (id: string) => Promise<void>>> = {
  'by nobody yet': async () => undefined,
  'by a file that was moved': async (id) => place.move(`${id}.md`, 'Pending_Approval', 'Approved'),
  'by a file written by hand': async (id) => {
    const entry = await place.parts.store.get(id)
    const [{ address } = { address: '' }] = entry?.sending.to ?? []
    place.put(`yes-${id}.md`, byHand('type: email_send', `to: ${address}`, 'status: approved'))
  },
  'by a command': async (id) => void (await place.desk.approve(id, PERSON)),
}

/** What the server does meanwhile. */
const WEATHER: Readonly<Record<string, () => void>> = {
  'all is well': () => undefined,
  'the server is too busy': () => {
    refusal = 451
  },
  'the answer is lost': () => proxy.arrange({ at: /\r\n\.\r\n$/, does: 'cut', always: true }),
}

function clearUp(): void {
  refusal = undefined
  proxy.arrange()
}

interface Round {
  readonly way: string
  readonly weather: string
  readonly approval: SendRules['approval']
}

const ROUNDS: readonly Round[] = [
  ...Object.keys(WAYS).map((way) => ({ way, weather: 'all is well', approval: 'always' as const })),
  { way: 'by nobody yet', weather: 'all is well', approval: 'never' },
  ...['the server is too busy', 'the answer is lost'].map((weather) => ({
    way: 'by a file that was moved',
    weather,
    approval: 'always' as const,
  })),
]

let letters = 0

/** To somebody whom nobody has written to before, so that a file written by hand is about this letter alone. */
function newWish(): Wish {
  letters += 1
  return { ...WISH, to: [`bob-${letters}@example.com`], subject: `Letter ${letters}.` }
}

function arrived({ subject }: Wish): number {
  return sink.messages.filter(({ bytes }) => bytes.includes(`Subject: ${subject}\r\n`)).length
}

async function entriesOf({ subject }: Wish): Promise<readonly OutboxEntry[]> {
  return (await place.parts.store.list({ most: 1000 })).filter(({ sending }) => sending.subject === subject)
}

/** Plays one round, killed at this mark; returns the marks where it was not. */
async function play({ way, weather, approval }: Round, mark?: number): Promise<readonly string[] | undefined> {
  const wish = newWish()
  if (way !== 'by nobody yet') {
    const first = await place.ask(wish)
    expect(first).toMatchObject({ kind: 'waiting' })
    await WAYS[way]?.(first.kind === 'waiting' ? first.id : '')
  }
  WEATHER[weather]?.()
  const { port } = proxy
  const order = { directory: place.directory, port, now: place.now, approval, wish }
  const end = await runOutbox({ ...order, ...(mark !== undefined && { mark }) })
  clearUp()
  await judge(wish, approval)
  return end.kind === 'done' ? end.marks : undefined
}

async function judge(wish: Wish, approval: Round['approval']): Promise<void> {
  const atDeath = arrived(wish)
  expect(atDeath).toBeLessThanOrEqual(1)
  await resumeOutbox(place.parts)
  const [entry] = await entriesOf(wish)
  const kind = entry?.state.kind
  // Nothing is called sent that did not leave, and what has left is called sent or shown to a person.
  if (kind === 'sent') expect(atDeath).toBe(1)
  if (atDeath === 1) expect(['sent', 'needs_operator']).toContain(kind)
  // What the dead one should have moved is moved by others, when they can be sure that it is dead.
  place.now += 2 * MINUTE
  await resumeOutbox(place.parts)
  if (kind === 'needs_operator') await settled(wish, entry as OutboxEntry, atDeath === 1)
  const now = (await entriesOf(wish))[0]?.state.kind
  if (now !== 'sent') await sentAtLast(wish, approval)
  expect(arrived(wish)).toBe(1)
  // The copy that nobody had time to keep is kept later, and what lies in the vault is where it belongs.
  place.now += 2 * MINUTE
  await resumeOutbox(place.parts)
  expect(place.files('Approved')).toEqual([])
  for (const { id } of await entriesOf(wish)) expect(place.files('Pending_Approval')).not.toContain(`${id}.md`)
  expect((await entriesOf(wish)).filter(({ state }) => state.kind === 'sent')).toMatchObject([
    { state: { filed: true } },
  ])
  for (const { id } of await entriesOf(wish)) expect(place.files('Needs_Operator')).not.toContain(`${id}.md`)
}

/** A person is needed: until one has looked, nothing is sent, whoever asks. */
async function settled(wish: Wish, { id }: OutboxEntry, wasSent: boolean): Promise<void> {
  const before = arrived(wish)
  expect(await place.ask(wish)).toMatchObject({ kind: 'needs_operator', id })
  await expect(place.desk.approve(id, PERSON)).rejects.toMatchObject({ code: 'conflict' })
  expect(arrived(wish)).toBe(before)
  expect(place.files('Needs_Operator')).toContain(`${id}.md`)
  await place.desk.settle(id, wasSent, PERSON)
}

/** What certainly did not leave still can: by the approval that was not used, or by another one. */
async function sentAtLast(wish: Wish, approval: Round['approval']): Promise<void> {
  place.rules = { ...place.rules, approval }
  try {
    let ending: SendEnding = await place.ask(wish)
    if (ending.kind === 'waiting') {
      await place.desk.approve(ending.id, PERSON)
      ending = await place.ask(wish)
    }
    expect(ending).toMatchObject({ kind: 'sent' })
  } finally {
    place.rules = { ...place.rules, approval: 'always' }
  }
}

test.each(ROUNDS)('approved $way (policy: $approval), while $weather', { timeout: 120_000 }, async (round) => {
  const marks = (await play(round)) ?? []
  expect(marks.at(-1)).toBe('the end')
  for (const [mark, name] of marks.entries()) {
    const left = await play(round, mark)
    expect(left, `killed at ${name}`).toBeUndefined()
  }
})
