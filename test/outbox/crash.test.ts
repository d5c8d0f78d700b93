/**
 * A process that is killed at every step of the outbox, and what the next one makes of it: at most one letter leaves, none is
 * called sent that did not, one that may have left waits for a person, nothing is stuck, and the files of the vault say what the
 * store says.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OutboxEntry } from '../../src/core/outbox/entry.ts'
import type { SendRules } from '../../src/core/policy/sending.ts'
import type { SendEnding } from '../../src/core/send-ending.ts'
import { createOutboxDesk } from '../../src/engine/outbox/operator-desk.ts'
import { Outbox } from '../../src/engine/outbox/outbox.ts'
import { resumeOutbox } from '../../src/engine/outbox/resume.ts'
import type { VaultFolder } from '../../src/ports/vault.ts'
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
  { way: 'by a file written by hand', weather: 'the answer is lost', approval: 'always' },
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
  if (entry !== undefined) expectFiles(entry)
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

const FOLDERS = ['Pending_Approval', 'Approved', 'Rejected', 'Done', 'Needs_Operator'] as const

/** Each file of the message lies where its state belongs, and says it; an approval that nobody took lies where it lay. */
function expectFiles({ id, state: { kind } }: OutboxEntry): void {
  const lying = FOLDERS.flatMap((folder) =>
    place.files(folder).flatMap((name) => (name.includes(id) ? [`${folder}/${name}`] : [])),
  )
  const used = lying.filter((path) => path !== `Approved/yes-${id}.md`)
  if (kind === 'needs_operator') {
    expect(used).toContain(`Needs_Operator/${id}.md`)
    expect(used.filter((path) => !path.startsWith('Needs_Operator/'))).toEqual([])
  }
  if (kind === 'sent') expect(used.filter((path) => !path.startsWith('Done/'))).toEqual([])
  if (kind === 'waiting') expect(used).toEqual([expect.stringMatching(`^(?:Pending_Approval|Approved)/${id}.md$`)])
  const status = { needs_operator: 'needs_operator', sent: 'sent' }[String(kind)]
  for (const path of status === undefined ? [] : used) {
    const [folder, name = ''] = path.split('/') as [VaultFolder, string]
    expect(place.read(folder, name), path).toContain(`\nstatus: ${status}\n`)
  }
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

test.each(ROUNDS)('approved $way (policy: $approval), while $weather', async (round) => {
  const marks = (await play(round)) ?? []
  expect(marks.at(-1)).toBe('the end')
  for (const [mark, name] of marks.entries()) {
    const left = await play(round, mark)
    expect(left, `killed at ${name}`).toBeUndefined()
  }
})

test('an approval that was not used, and that its process did not live to put back, is put back', async () => {
  const wish = newWish()
  const first = await place.ask(wish)
  const id = first.kind === 'waiting' ? first.id : ''
  await WAYS['by a file written by hand']?.(id)
  refusal = 451
  const vault = { ...place.parts.vault, putBack: async () => undefined }
  const dying = new Outbox({ ...place.parts, vault })
  await expect(dying.send(place.request(wish), AbortSignal.timeout(MINUTE))).rejects.toMatchObject({
    code: 'unavailable',
  })
  refusal = undefined
  const taken = `yes-${id}.sending-${id}.md`
  // Its process may live still, and be about to do so.
  await resumeOutbox(place.parts)
  expect([place.files('Done').includes(taken), place.files('Approved')]).toEqual([true, []])
  const aged = async () => (await place.parts.vault.taken()).map((one) => ({ ...one, age: MINUTE }))
  await resumeOutbox({ ...place.parts, vault: { ...place.parts.vault, taken: aged } })
  expect([place.files('Done').includes(taken), place.files('Approved')]).toEqual([false, [`yes-${id}.md`]])
  expect(await place.ask(wish)).toMatchObject({ kind: 'sent' })
  expect(place.files('Done')).toContain(`yes-${id}.md`)
  expect(arrived(wish)).toBe(1)
})

test('what was approved or queued, and not shown, is shown', async () => {
  const vault = { ...place.parts.vault, post: async () => 'killed before', move: async () => undefined }
  const unseen = new Outbox({ ...place.parts, vault })
  const [one, two] = [newWish(), newWish()]
  const ids = []
  for (const wish of [one, two]) {
    const ending = await unseen.send(place.request(wish), AbortSignal.timeout(MINUTE))
    ids.push(ending.kind === 'waiting' ? ending.id : '')
  }
  await resumeOutbox(place.parts)
  for (const id of ids) expect(place.files('Pending_Approval')).toContain(`${id}.md`)
  const [first = '', second = ''] = ids
  await createOutboxDesk({ ...place.parts, vault }).approve(second, PERSON)
  expect(place.files('Pending_Approval')).toContain(`${second}.md`)
  await resumeOutbox(place.parts)
  expect(place.files('Approved')).toEqual([`${second}.md`])
  expect(place.files('Pending_Approval')).toContain(`${first}.md`)
  expect(await place.ask(two)).toMatchObject({ kind: 'sent' })
  await place.desk.reject(first, PERSON, undefined)
})
