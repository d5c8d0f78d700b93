/** Strings that try to be commands: they find exactly what they say, and change nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Criteria } from '../../src/core/criteria.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type Desk, startDesk } from './desk.ts'
import { capabilityWithout } from './dovecot.ts'

const STRINGS = [
  'say "hi"',
  'back\\slash',
  'trailing\\',
  '"',
  '{5}',
  '{5+}',
  '{0}',
  '100% *',
  '*',
  'R&D',
  '&AOk-',
  '(paren) [bracket] <angle>',
  'Grüße',
  '受信 📬',
  ') ALL',
  '" UNDELETED "',
  `long ${'x'.repeat(300)}`,
  'NIL',
  '~',
  'tab\there',
]
const BREAKS = ['a\r\nz STORE 1 +FLAGS (\\Deleted)', 'a\nb', 'a\rb', 'a\0b', '\r\n', '\0']
const BOX = 'hostile'

describe.each([
  ['LITERAL+', undefined],
  ['synchronising literals', capabilityWithout('LITERAL+')],
])('with %s', (_name, capability) => {
  let desk: Desk
  let subjects: readonly number[]
  beforeAll(async () => {
    desk = await startDesk(capability === undefined ? {} : { capability })
    const letters = STRINGS.map((text) => ({ raw: letter({ subject: text, body: `${text}\r\n` }) }))
    subjects = await desk.other.seed(BOX, letters)
  })
  afterAll(() => desk.stop())

  const snapshot = async (): Promise<unknown> => {
    const names = (await desk.other.imap.list()).map(({ path }) => path).sort()
    const flags = await Promise.all(subjects.map(async () => undefined))
    const uids = await desk.other.uids(BOX)
    const first = await desk.other.flags(BOX, subjects[0] ?? 0)
    return { names, flags, uids, first: first.filter((flag) => flag !== '\\Recent') }
  }
  const find = (criteria: Criteria, mailbox = BOX) => desk.source.find(mailbox, { criteria, take: 50 }, never())

  test.each(STRINGS)('%j in subject and text finds the messages that hold it', async (text) => {
    const before = await snapshot()
    const expected = subjects.filter((_, index) => STRINGS[index]?.toLowerCase().includes(text.toLowerCase()))
    const bySubject = await find({ subject: text })
    expect(bySubject.uids.toSorted((a, b) => a - b)).toEqual(expected)
    const byText = await find({ text })
    expect(byText.uids).toEqual(expect.arrayContaining([...expected]))
    expect(await snapshot()).toEqual(before)
  })

  test.each(STRINGS)('%j in from and to is only text', async (text) => {
    const found = await Promise.all([find({ from: text }), find({ to: text })])
    for (const { uids } of found) expect(uids.every((uid) => subjects.includes(uid))).toBe(true)
    expect(found.every(({ total }) => total === 0 || total === subjects.length)).toBe(true)
  })

  test.each(STRINGS)('%j as a mailbox is not there, or is refused, and nothing is made', async (text) => {
    const before = await snapshot()
    await expect(find({}, text)).rejects.toMatchObject({ name: 'Failure', code: 'not_found' })
    const { uidvalidity } = await find({})
    const place = { mailbox: BOX, uidvalidity }
    const copying = desk.source.copy(place, subjects[0] ?? 0, text, never())
    await expect(copying).rejects.toMatchObject({ name: 'Failure' })
    const message = { bytes: Buffer.from(letter({})), flags: [] }
    await expect(desk.source.append(text, message, never())).rejects.toMatchObject({ name: 'Failure' })
    expect(await snapshot()).toEqual(before)
  })

  test.each(BREAKS)('%j is refused before anything is sent', async (text) => {
    const { uidvalidity } = await find({})
    const place = { mailbox: BOX, uidvalidity }
    desk.proxy.reset()
    const uid = subjects[0] ?? 0
    const refused = [
      ...(['text', 'from', 'to', 'subject'] as const).map((field) => find({ [field]: text })),
      find({}, text),
      desk.source.copy(place, uid, text, never()),
      desk.source.append(text, { bytes: Buffer.from(letter({})), flags: [] }, never()),
      desk.source.append(BOX, { bytes: Buffer.from(letter({})), flags: [text] }, never()),
      desk.source.changeFlags(place, uid, 'add', [text], never()),
      desk.source.open({ mailbox: text, uidvalidity: 1 }, 1, never()),
      desk.source.parts(place, uid, [{ id: text, maxBytes: 5 }], never()),
    ]
    for (const call of refused) await expect(call).rejects.toMatchObject({ name: 'Failure', code: 'invalid_input' })
    expect(desk.proxy.sent()).toBe('')
  })

  test.each(['1]', '1] BODY[', '1.2 ', 'HEADER', '0', '01', '1..2', '*', '1)'])('%j is no part id', async (id) => {
    const { uidvalidity } = await find({})
    const call = desk.source.parts({ mailbox: BOX, uidvalidity }, subjects[0] ?? 0, [{ id, maxBytes: 5 }], never())
    await expect(call).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
