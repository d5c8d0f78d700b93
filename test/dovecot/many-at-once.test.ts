/**
 * Many messages at once on an unreliable line: what is said of each message is what became of it.
 *
 * The proxy breaks the line at places of its own choice; somebody else looks at what the server has then.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Appended, NewMessage } from '../../src/ports/mail-source.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type Desk, startDesk } from './desk.ts'
import { capabilityWithout } from './dovecot.ts'

const COUNT = 12
const BODY = `${'z'.repeat(76)}\r\n`.repeat(250)
const MESSAGES: readonly NewMessage[] = Array.from({ length: COUNT }, (_, index) => ({
  bytes: Buffer.from(letter({ messageId: `<n${index}@example.org>`, body: BODY })),
  flags: ['\\Seen'],
  received: 1_700_000_000 + index,
}))
const SIZE = MESSAGES[0]?.bytes.length ?? 0

describe.each([
  ['with LITERAL+', undefined],
  ['without LITERAL+', capabilityWithout('LITERAL+')],
])('a server %s', (_name, capability) => {
  let desk: Desk
  let boxes = 0
  beforeAll(async () => {
    desk = await startDesk(capability === undefined ? {} : { capability })
  })
  afterAll(() => desk.stop())
  afterEach(() => {
    desk.proxy.delay(0)
    desk.proxy.stall(false)
    desk.proxy.cutAll()
  })

  const newBox = async (): Promise<string> => {
    boxes += 1
    await desk.other.seed(`box ${boxes}`, [])
    return `box ${boxes}`
  }
  /** How often each message is in the mailbox, as somebody else sees it. */
  const stored = async (box: string): Promise<number[]> => {
    const { exists } = await desk.other.imap.mailboxOpen(box)
    const found = exists === 0 ? [] : await desk.other.imap.fetchAll('1:*', { envelope: true, size: true })
    expect(found.every(({ size }) => size !== undefined && Math.abs(size - SIZE) <= 1)).toBe(true)
    return MESSAGES.map((_, index) => found.filter((m) => m.envelope?.messageId === `<n${index}@example.org>`).length)
  }
  const mustAgree = (endings: readonly Appended[], counts: readonly number[]): void => {
    for (const [index, { kind }] of endings.entries()) {
      const allowed = { done: [1], refused: [0], unknown: [0, 1] }[kind]
      expect(allowed, `message ${index} is ${kind}`).toContain(counts[index])
    }
  }

  const places: [string, number][] = [
    ['in the first command', 10],
    ['in the middle of the first literal', Math.floor(SIZE / 2)],
    ['in the middle of the fifth literal', Math.floor(SIZE * 4.5)],
    ['at the end of the fifth literal', SIZE * 5],
    ['in the middle of the last literal', Math.floor(SIZE * (COUNT - 0.5))],
  ]
  test.each(places)('cut %s has exactly what was said to be done', async (_where, bytes) => {
    const box = await newBox()
    const source = desk.make()
    await source.fence(box, never())
    desk.proxy.cutAfterSent(bytes)
    const endings = await source.appendEach(box, MESSAGES, never())
    desk.proxy.cutAll()
    expect(endings).toHaveLength(COUNT)
    expect(endings.at(-1)?.kind).not.toBe('done')
    mustAgree(endings, await stored(box))
  })

  test('cut after a literal and before its answer leaves that one unknown', async () => {
    const box = await newBox()
    const source = desk.make()
    await source.fence(box, never())
    desk.proxy.cutAtAnswerTo(`<n${COUNT - 1}@example.org>`)
    const endings = await source.appendEach(box, MESSAGES, never())
    desk.proxy.cutAll()
    expect(endings.at(-1)?.kind).toBe('unknown')
    mustAgree(endings, await stored(box))
  })

  test('that is stalled when the caller gives up leaves what was sent unknown', async () => {
    const box = await newBox()
    const source = desk.make()
    await source.fence(box, never())
    desk.proxy.stall(true)
    const endings = await source.appendEach(box, MESSAGES, AbortSignal.timeout(200))
    expect(endings[0]).toMatchObject({ kind: 'unknown', failure: { code: 'outcome_unknown', stage: 'append' } })
    mustAgree(endings, await stored(box))
  })

  test('that cannot be reached rejects before anything is sent', async () => {
    const box = await newBox()
    const source = desk.make()
    desk.proxy.refuse(true)
    const appending = source.appendEach(box, MESSAGES, never())
    await expect(appending).rejects.toMatchObject({ code: 'unavailable', stage: 'connect' })
    desk.proxy.refuse(false)
    expect(await stored(box)).toEqual(MESSAGES.map(() => 0))
  })

  test('takes many large ones, byte for byte', async () => {
    const box = await newBox()
    const large = [3_000_000, 10, 700_000].map((length, index) => ({
      bytes: Buffer.from(letter({ subject: `${index}`, body: `${'q'.repeat(98)}\r\n`.repeat(length / 100) })),
      flags: [],
    }))
    const endings = await desk.source.appendEach(box, large, never())
    expect(endings.map(({ kind }) => kind)).toEqual(['done', 'done', 'done'])
    const { uidvalidity } = await desk.source.fence(box, never())
    const whole = await desk.source.rawMany({ mailbox: box, uidvalidity }, [1, 2, 3], 5_000_000, never())
    expect(whole.map(({ bytes }, index) => large[index]?.bytes.equals(bytes))).toEqual([true, true, true])
  })

  test('cut while messages are removed leaves that unknown; done again, it is done', async () => {
    const box = await newBox()
    const source = desk.make()
    await source.appendEach(box, MESSAGES, never())
    const at = { mailbox: box, uidvalidity: (await source.fence(box, never())).uidvalidity }
    desk.proxy.cutAtAnswerTo('UID EXPUNGE')
    await expect(source.removeMany(at, [1, 2, 3], never())).rejects.toMatchObject({ code: 'outcome_unknown' })
    desk.proxy.cutAll()
    expect(await source.removeMany(at, [1, 2, 3], never())).toBe('expunged')
    expect((await desk.other.uids(box)).length).toBe(COUNT - 3)
  })

  test('removes what it is told to while another connection does the same', async () => {
    const box = await newBox()
    const many = Array.from({ length: 200 }, () => ({ bytes: Buffer.from(letter({})), flags: [] }))
    const [one, two] = [desk.make(), desk.make()]
    for (let round = 0; round < 5; round += 1) {
      const { uidvalidity, uid: first } = await one.fence(box, never())
      await one.appendEach(box, many, never())
      const removing = Array.from({ length: 4 }, (_, turn) => {
        const uids = Array.from({ length: 50 }, (_uid, index) => first + turn * 50 + index)
        return (turn % 2 === 0 ? one : two).removeMany({ mailbox: box, uidvalidity }, uids, never())
      })
      expect(await Promise.all(removing)).toEqual(removing.map(() => 'expunged'))
      expect(await desk.other.uids(box)).toEqual([])
    }
  })

  test('cut in the middle of many messages is asked for them again by whoever wants them', async () => {
    const box = await newBox()
    const source = desk.make()
    await source.appendEach(box, MESSAGES, never())
    const at = { mailbox: box, uidvalidity: (await source.fence(box, never())).uidvalidity }
    const uids = MESSAGES.map((_, index) => index + 1)
    desk.proxy.cutAfter(SIZE * 3)
    await expect(source.rawMany(at, uids, SIZE + 1, never())).rejects.toMatchObject({ code: 'unavailable' })
    desk.proxy.cutAll()
    expect(await source.rawMany(at, uids, SIZE + 1, never())).toHaveLength(COUNT)
  })
})
