/**
 * What a person's yes is good for: exactly one letter, exactly as it was, once, and in its time.
 */
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { canonicalSending } from '../../src/core/outbox/sending.ts'
import type { SendEnding } from '../../src/core/send-ending.ts'
import { BACK_OFF_MS } from '../../src/engine/outbox/deliver.ts'
import { closeSenders } from '../smtp/desk.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { byHand, composed, NOW, openPlace, PERSON, type Place, sendingFor, WISH, type Wish } from './vault-place.ts'

const HOUR = 60 * 60 * 1000
let sink: Sink
const places: Place[] = []

beforeAll(async () => {
  sink = await startSink()
})
afterEach(async () => {
  for (const place of places.splice(0)) await place.close()
})
afterAll(async () => {
  await closeSenders()
  await sink.close()
})

async function newPlace(...accounts: string[]): Promise<Place> {
  const place = await openPlace({ port: sink.port, ...(accounts.length > 0 && { accounts }) })
  places.push(place)
  return place
}

type Waiting = Extract<SendEnding, { kind: 'waiting' }>

async function waiting(place: Place, wish: Wish): Promise<Waiting> {
  const ending = await place.ask(wish)
  if (ending.kind !== 'waiting') throw new Error(`it is ${ending.kind} where it should wait`)
  expect(place.files('Pending_Approval')).toContain(`${ending.id}.md`)
  return ending
}

/** The ways in which a person says yes to one letter. */
const WAYS: Readonly<Record<string, (place: Place, id: string) => Promise<void>>> = {
  'a file that was moved': async (place, id) => place.move(`${id}.md`, 'Pending_Approval', 'Approved'),
  'a file written by hand with the digest': async (place, id) => {
    const digest = (await place.parts.store.get(id))?.digest
    const type = (await place.parts.store.get(id))?.sending.kind === 'reply' ? 'email_reply' : 'email_send'
    place.put(`${id}-yes.md`, byHand(`type: ${type}`, 'status: approved', `digest: ${digest}`))
  },
  'a command': async (place, id) => void (await place.desk.approve(id, PERSON, true)),
}

/** With every field in it. */
const RICH: Wish = {
  ...WISH,
  to: ['Bob <bob@example.com>', 'carol@example.net'],
  cc: ['dan@example.org'],
  bcc: ['eve@example.org'],
  html: '<p>Shall we say <b>noon</b>?</p>',
  attached: [{ filename: 'plan.txt', type: 'text/plain', text: 'Noon, by the river.' }],
}
const ANSWER: Wish = { ...WISH, answers: { thread: 'thread-17', messageId: '<first@example.com>' } }

/** Where each text of a wish stands in it. */
function leaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
}

function changed<T>(value: T, [key, ...rest]: readonly string[], change: (text: string) => string): T {
  if (key === undefined) return change(String(value)) as T
  const inner = changed((value as Record<string, unknown>)[key], rest, change)
  if (Array.isArray(value)) return value.with(Number(key), inner) as T
  return { ...value, [key]: inner }
}

const CHARACTERS = ['a', 'B', '7', ' ', '.', '-', 'ä', '\u200b', '🙂']
const change = fc.record({
  leaf: fc.nat(),
  at: fc.nat(),
  how: fc.constantFrom('replace' as const, 'insert' as const, 'remove' as const),
  character: fc.constantFrom(...CHARACTERS),
})

function withChange(
  wish: Wish,
  { leaf, at, how, character }: typeof change extends fc.Arbitrary<infer T> ? T : never,
): Wish {
  const paths = leaves(wish)
  return changed(wish, paths[leaf % paths.length] ?? [], (text) => {
    const index = at % (text.length + 1)
    return text.slice(0, index) + (how === 'remove' ? '' : character) + text.slice(how === 'insert' ? index : index + 1)
  })
}

/** Undefined where no letter can be made of it. */
function fieldsOf(wish: Wish): { readonly canonical: string; readonly bytes: string } | undefined {
  try {
    const written = composed(wish, 'the-same-name')
    const bytes = Buffer.from(written.bytes).toString('latin1')
    return { canonical: canonicalSending(sendingFor(wish, written)), bytes }
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const ACCOUNTS = [...new Set(CHARACTERS.flatMap((one) => editsOf('work', one)))].filter((id) => id !== 'work')

function editsOf(text: string, character: string): string[] {
  const cuts = Array.from({ length: text.length + 1 }, (_, at) => at)
  return cuts.flatMap((at) => [
    text.slice(0, at) + character + text.slice(at),
    text.slice(0, at) + character + text.slice(at + 1),
    text.slice(0, at) + text.slice(at + 1),
  ])
}

describe.each(Object.entries(WAYS))('the yes of %s', (_name, approve) => {
  test('is no yes to a letter of which a single character is another', async () => {
    const place = await newPlace('work')
    const [work] = place.parts.accounts.current.list()
    // Each is an account of its own; they have the same mailbox only to be quick.
    if (work !== undefined) place.parts.accounts.replace([work, ...ACCOUNTS.map((id) => ({ ...work, id }))])
    let round = 0
    const wish = fc.constantFrom(RICH, ANSWER)
    await fc.assert(
      fc.asyncProperty(wish, change, async (asked, edit) => {
        round += 1
        const original = { ...asked, body: `${asked.body} (${round})` }
        const edited = withChange(original, edit)
        const [was, is] = [fieldsOf(original), fieldsOf(edited)]
        fc.pre(is !== undefined && place.parts.accounts.current.find(edited.account) !== undefined)
        // What a letter is made of in the same way is the same letter, byte for byte.
        if (is?.canonical === was?.canonical) {
          expect(is?.bytes).toBe(was?.bytes)
          return
        }
        const { id } = await waiting(place, original)
        await approve(place, id)
        const before = sink.messages.length
        const ending = await place.ask(edited)
        // It waits as another, unless it is so like the approved one that its caller is told of that.
        if (ending.kind === 'similar') expect(ending).toMatchObject({ id, standing: 'approved' })
        else expect(ending).toMatchObject({ kind: 'waiting', id: expect.not.stringContaining(id) })
        expect(sink.messages).toHaveLength(before)
        expect(await place.ask(original)).toMatchObject({ kind: 'sent' })
        expect(sink.messages).toHaveLength(before + 1)
        expect(await place.ask(original)).toMatchObject({ kind: 'already_sent', id })
        expect(sink.messages).toHaveLength(before + 1)
      }),
      { numRuns: 40 },
    )
  })

  test('is used up by one letter', async () => {
    const place = await newPlace()
    const { id } = await waiting(place, WISH)
    await approve(place, id)
    const before = sink.messages.length
    expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
    expect(place.files('Approved')).toEqual([])
    expect(await place.ask(WISH)).toMatchObject({ kind: 'already_sent', id, at: NOW })
    place.now = NOW + 24 * HOUR - 1
    expect(await place.ask(WISH)).toMatchObject({ kind: 'already_sent', id, at: NOW })
    place.now = NOW + 24 * HOUR
    const again = await waiting(place, WISH)
    expect(again.id).not.toBe(id)
    // The used one, put back by hand, is still used up.
    for (const used of place.files('Done')) place.move(used, 'Done', 'Approved')
    await waiting(place, WISH)
    expect(sink.messages.length).toBe(before + 1)
  })

  test('is over after a day', async () => {
    const place = await newPlace()
    const { id } = await waiting(place, WISH)
    await approve(place, id)
    const before = sink.messages.length
    place.now = NOW + 24 * HOUR
    expect(await waiting(place, WISH)).not.toMatchObject({ id })
    expect(sink.messages).toHaveLength(before)
  })

  test('holds for a day', async () => {
    const place = await newPlace()
    const { id } = await waiting(place, WISH)
    await approve(place, id)
    place.now = NOW + 24 * HOUR - 1
    expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
  })
})

test('what a person changes in the file does not change the message', async () => {
  const place = await newPlace()
  const { id } = await waiting(place, WISH)
  const changed = place.read('Pending_Approval', `${id}.md`).replaceAll('noon', 'midnight')
  expect(changed).toContain('midnight')
  place.put(`${id}.md`, changed, 'Pending_Approval')
  place.move(`${id}.md`, 'Pending_Approval', 'Approved')
  expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
  const sent = sink.messages.at(-1)?.bytes.toString() ?? ''
  expect(sent).toContain('noon')
  expect(sent).not.toContain('midnight')
})

test('an id may be shortened to a beginning that no other has', async () => {
  const place = await newPlace()
  const ids = [(await waiting(place, WISH)).id, (await waiting(place, { ...WISH, subject: 'Another' })).id] as const
  const shared = [...ids[0]].findIndex((character, at) => character !== ids[1][at])
  await expect(place.desk.approve(ids[0].slice(0, Math.max(shared, 0)), PERSON)).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await place.desk.approve(ids[0].slice(0, shared + 1), PERSON)).toMatchObject({ id: ids[0] })
})

test('what a server refuses for now is tried again twice, and keeps its approval', async () => {
  let asked = 0
  const busy = await startSink({ refuse: ({ at }) => (at === 'mail' && ++asked > 0 ? { code: 451 } : undefined) })
  const place = await openPlace({ port: busy.port, more: { backOffMs: BACK_OFF_MS.map(() => 1) } })
  places.push(place)
  const { id } = await waiting(place, WISH)
  await place.desk.approve(id, PERSON)
  await expect(place.ask(WISH)).rejects.toMatchObject({ code: 'unavailable' })
  expect([asked, (await place.parts.store.get(id))?.state.kind]).toEqual([3, 'approved'])
  await busy.close()
})

describe('a file written by hand', () => {
  const PLAIN = byHand('type: email_send', 'to: bob@example.com', 'status: approved')
  const put = (place: Place, text: string, file = 'yes.md', at = NOW): void => place.put(file, text, 'Approved', at)
  let one: Place
  let two: Place
  beforeAll(async () => {
    one = await openPlace({ port: sink.port })
    two = await openPlace({ port: sink.port, accounts: ['work', 'home'] })
  })
  afterAll(() => Promise.all([one.close(), two.close()]))

  /** Of a letter that nobody has asked for before, where this file is the only one. */
  let letters = 0
  const endingWith = async (text: string | Uint8Array, wish: Wish = WISH, place = one): Promise<SendEnding> => {
    letters += 1
    for (const file of place.files('Approved')) place.move(file, 'Approved', 'Done')
    place.put('yes.md', text)
    const before = sink.messages.length
    const ending = await place.ask({ ...wish, body: `${wish.body} ${letters}` })
    expect(sink.messages.length - before).toBe(ending.kind === 'sent' ? 1 : 0)
    if (ending.kind === 'waiting') expect(place.files('Approved')).toEqual(['yes.md'])
    return ending
  }

  test('allows one letter to whom it names', async () => {
    const place = await newPlace()
    put(place, PLAIN)
    expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
    expect(place.files('Done')).toContain('yes.md')
    await waiting(place, { ...WISH, subject: 'Another' })
    expect(
      await endingWith(byHand('type: email_reply', 'thread_id: thread-17', 'status: approved'), ANSWER),
    ).toMatchObject({
      kind: 'sent',
    })
  })

  test('counts for nothing where the digest is required', async () => {
    const place = await newPlace()
    place.rules = { ...place.rules, requireDigest: true }
    put(place, PLAIN)
    expect(await waiting(place, WISH)).toMatchObject({ notes: ['yes.md has no digest, which is required here'] })
    expect(place.files('Approved')).toEqual(['yes.md'])
  })

  test.each([
    ['another recipient', PLAIN, { ...WISH, to: ['bob@example.con'] }],
    ['one recipient more', PLAIN, { ...WISH, to: [...WISH.to, 'carol@example.net'] }],
    ['a copy to somebody', PLAIN, { ...WISH, cc: ['carol@example.net'] }],
    ['a hidden copy to somebody', PLAIN, { ...WISH, bcc: ['carol@example.net'] }],
    ['a recipient in another letter case', PLAIN, { ...WISH, to: ['Bob@example.com'] }],
    ['an answer', PLAIN, ANSWER],
    ['another subject', byHand('type: email_send', 'to: bob@example.com', 'subject: Lunch', 'status: approved'), WISH],
    ['another thread', byHand('type: email_reply', 'thread_id: thread-1', 'status: approved'), ANSWER],
    ['a new letter', byHand('type: email_reply', 'to: bob@example.com', 'status: approved'), WISH],
    ['another account', byHand('type: email_send', 'to: bob@example.com', 'account: home', 'status: approved'), WISH],
    ['what is not approved', byHand('type: email_send', 'to: bob@example.com', 'status: pending'), WISH],
    ['what is rejected', byHand('type: email_send', 'to: bob@example.com', 'status: rejected'), WISH],
    ['what says nothing', byHand('type: email_send', 'to: bob@example.com'), WISH],
    ['a hidden recipient that it names and the letter has not', `${PLAIN.slice(0, -4)}bcc: x@example.com\n---\n`, WISH],
  ])('does not allow %s', async (_what, text, wish) => {
    expect(await endingWith(text, wish)).toMatchObject({ kind: 'waiting' })
  })

  test('has to name the account where there are several', async () => {
    expect(await endingWith(PLAIN, WISH, two)).toMatchObject({ kind: 'waiting' })
    const named = byHand('type: email_send', 'to: bob@example.com', 'account: work', 'status: approved')
    expect(await endingWith(named, WISH, two)).toMatchObject({ kind: 'sent' })
    expect(await endingWith(named, { ...WISH, account: 'home' }, two)).toMatchObject({ kind: 'waiting' })
  })

  test.each([
    ['no front matter', 'type: email_send\nto: bob@example.com\nstatus: approved\n'],
    ['front matter without an end', '---\ntype: email_send\nto: bob@example.com\nstatus: approved\n'],
    ['broken YAML', '---\ntype: [email_send\nto: bob@example.com\nstatus: approved\n---\n'],
    ['a key twice', byHand('type: email_send', 'to: x@example.com', 'to: bob@example.com', 'status: approved')],
    ['an alias', byHand('type: email_send', 'x: &b bob@example.com', 'to: *b', 'status: approved')],
    ['a tag', byHand('type: email_send', 'to: !!str bob@example.com', 'status: approved')],
    ['two types', byHand('type: [email_send, email_reply]', 'to: bob@example.com', 'status: approved')],
    ['a time that is none', byHand('type: email_send', 'to: bob@example.com', 'status: approved', 'created: soon')],
    [
      'a day too old',
      byHand('type: email_send', 'to: bob@example.com', 'status: approved', 'approved_at: 2026-05-05T10:00:00Z'),
    ],
    [
      'from the future',
      byHand('type: email_send', 'to: bob@example.com', 'status: approved', 'created: 2026-05-07T10:00:00Z'),
    ],
    ['too large', `${PLAIN}${'x'.repeat(300_000)}`],
    ['another encoding', Buffer.concat([Buffer.from(PLAIN), Buffer.from([0xff, 0xfe])])],
    ['an empty file', ''],
  ])('that has or is %s allows nothing, and is reported', async (_what, text) => {
    expect(await endingWith(text)).toMatchObject({ kind: 'waiting', notes: [expect.stringMatching(/^yes\.md \S/)] })
  })

  test('that is a link, lies under a second name or in a folder allows nothing', async () => {
    const place = await newPlace()
    const root = join(place.directory, 'vault')
    mkdirSync(join(root, 'Approved/folder.md'), { recursive: true })
    writeFileSync(join(place.directory, 'elsewhere.md'), PLAIN)
    writeFileSync(join(root, 'Approved/folder.md/inner.md'), PLAIN)
    symlinkSync(join(place.directory, 'elsewhere.md'), join(root, 'Approved/symbolic.md'))
    linkSync(join(place.directory, 'elsewhere.md'), join(root, 'Approved/hard.md'))
    const before = sink.messages.length
    const { notes } = await waiting(place, WISH)
    expect(notes.map((note) => note.split(' ')[0])).toEqual(['folder.md', 'hard.md', 'symbolic.md'])
    expect(sink.messages).toHaveLength(before)
  })

  test('and another one that says something else allow nothing; of two that say the same the older is used', async () => {
    const place = await newPlace()
    const named = byHand('type: email_send', 'to: bob@example.com', 'subject: Lunch on Friday', 'status: approved')
    put(place, PLAIN, 'one.md')
    put(place, named, 'two.md')
    const before = sink.messages.length
    expect((await waiting(place, WISH)).notes).toHaveLength(2)
    expect(place.files('Approved')).toEqual(['one.md', 'two.md'])
    expect(sink.messages).toHaveLength(before)
    put(place, PLAIN, 'two.md', NOW - HOUR)
    expect(await place.ask(WISH)).toMatchObject({ kind: 'sent' })
    expect(place.files('Approved')).toEqual(['one.md'])
  })
})

describe('a no', () => {
  test.each([
    ['a file moved to Rejected', (place: Place, id: string) => place.move(`${id}.md`, 'Pending_Approval', 'Rejected')],
    [
      'a file that says so, moved to Approved',
      (place: Place, id: string) => {
        const text = place.read('Pending_Approval', `${id}.md`).replace('status: pending', 'status: rejected')
        place.put(`${id}.md`, text, 'Pending_Approval')
        place.move(`${id}.md`, 'Pending_Approval', 'Approved')
      },
    ],
    ['a command', (place: Place, id: string) => place.desk.reject(id, PERSON, undefined)],
  ])('by %s stands against a yes that was said before', async (_how, reject) => {
    const place = await newPlace()
    const { id } = await waiting(place, WISH)
    place.put('yes.md', byHand('type: email_send', 'to: bob@example.com', 'status: approved'))
    await reject(place, id)
    const before = sink.messages.length
    expect(await place.ask(WISH)).toMatchObject({ kind: 'rejected' })
    expect(await place.ask(WISH)).toMatchObject({ kind: 'rejected' })
    expect(sink.messages).toHaveLength(before)
  })

  test('by taking an approval away makes the letter wait again', async () => {
    const place = await newPlace()
    const { id } = await waiting(place, WISH)
    place.move(`${id}.md`, 'Pending_Approval', 'Approved')
    place.move(`${id}.md`, 'Approved', 'Pending_Approval')
    expect(await waiting(place, WISH)).toMatchObject({ id })
  })
})
