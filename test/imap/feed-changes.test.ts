/** A mailbox followed through whatever another client does to it: what is known is what is there. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type FeedDesk, Follower, feedDesk, SHAPES } from './feed-desk.ts'

const STEP = fc.record({
  act: fc.constantFrom(
    'append',
    'append',
    'flag',
    'unflag',
    'keyword',
    'expunge',
    'move',
    'remake',
    'read',
    'write',
    'nothing',
  ),
  which: fc.nat({ max: 20 }),
  /** Whether the follower looks after it, or only after the next one. */
  look: fc.boolean(),
})
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never

describe.each(Object.entries(SHAPES))('a server %s', (shape, server) => {
  let desk: FeedDesk
  let boxes = 0
  beforeAll(async () => {
    desk = await feedDesk(server)
    await desk.other.seed('elsewhere', [])
  })
  afterAll(() => desk.stop())

  const box = async (messages: number): Promise<string> => {
    boxes += 1
    const name = `box ${boxes}`
    await desk.other.seed(
      name,
      Array.from({ length: messages }, (_, index) => ({ raw: letter({ subject: `${index}` }) })),
    )
    return name
  }

  const listing = async (name: string): Promise<[number, string[]][]> => {
    await desk.other.imap.mailboxOpen(name)
    const found: [number, string[]][] = []
    for await (const { uid, flags } of desk.other.imap.fetch('1:*', { uid: true, flags: true }, { uid: true })) {
      found.push([uid, [...(flags ?? [])].filter((flag) => flag !== '\\Recent').sort()])
    }
    return found.sort(([a], [b]) => a - b)
  }

  const perform = async (name: string, { act, which }: Step): Promise<void> => {
    const { imap } = desk.other
    await imap.mailboxOpen(name)
    const found = await imap.search({ all: true }, { uid: true })
    const uids = found === false ? [] : (found ?? [])
    const uid = uids[which % Math.max(uids.length, 1)]
    const one = `${uid}`
    if (act === 'append') await imap.append(name, letter({ subject: act }), which % 2 === 0 ? ['\\Seen'] : [])
    else if (act === 'remake') {
      if (which > 5) return
      await imap.mailboxOpen('elsewhere')
      await imap.mailboxDelete(name)
      await imap.mailboxCreate(name)
      if (which > 2) await imap.append(name, letter({ subject: act }))
    } else if (uid === undefined) return
    else if (act === 'flag') await imap.messageFlagsAdd(one, ['\\Flagged', '\\Seen'], { uid: true })
    else if (act === 'unflag') await imap.messageFlagsRemove(one, ['\\Seen'], { uid: true })
    else if (act === 'keyword') await imap.messageFlagsAdd(one, [`word${which % 3}`], { uid: true })
    else if (act === 'expunge') await imap.messageDelete(one, { uid: true })
    else if (act === 'move') await imap.messageMove(one, 'elsewhere', { uid: true })
    else if (act === 'read') await desk.feed.find(name, { criteria: {}, take: 5 }, never())
    else if (act === 'write') {
      const at = { mailbox: name, uidvalidity: (await desk.feed.state(name, never())).uidvalidity }
      await desk.feed.changeFlags(at, uid, 'add', ['\\Answered'], never())
    }
  }

  test('what is known is what is there, whatever has happened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 14 }), async (steps) => {
        const name = await box(3)
        const follower = new Follower(desk.feed, name)
        await follower.follow()
        for (const step of steps) {
          await perform(name, step)
          if (!step.look) continue
          await follower.follow()
          expect(follower.listing()).toEqual(await listing(name))
        }
        await follower.follow()
        expect(follower.listing()).toEqual(await listing(name))
      }),
      { numRuns: 15 },
    )
  })

  test('one that came and one that went leave as many, and are seen', async () => {
    const name = await box(2)
    const follower = new Follower(desk.feed, name)
    await follower.follow()
    const [first] = follower.listing()
    await desk.other.vanish(name, first?.[0] ?? 0)
    await desk.other.imap.append(name, letter({}))
    expect(await follower.follow()).toBe('changed')
    expect(follower.listing().map(([uid]) => uid)).toEqual([2, 3])
  })

  test('where nothing has happened it costs one round trip, also while the mailbox is open', async () => {
    const name = await box(2)
    const follower = new Follower(desk.feed, name)
    await follower.follow()
    await follower.follow()
    await desk.feed.find(name, { criteria: {}, take: 1 }, never())
    desk.proxy.reset()
    const kind = await follower.follow()
    expect([kind, desk.proxy.roundTrips()]).toEqual([shape.includes('neither') ? 'changed' : 'same', 1])
  })

  test('several are asked for at once, and one that is not there is none', async () => {
    const [one, two] = [await box(1), await box(2)]
    await desk.feed.find(two, { criteria: {}, take: 1 }, never())
    await desk.other.imap.append(two, letter({}))
    desk.proxy.reset()
    const states = await desk.feed.states([one, 'not there', two, one], never())
    expect(states.map((state) => state?.messages)).toEqual([1, undefined, 3, 1])
    expect(desk.proxy.roundTrips()).toBe(1)
    await expect(desk.feed.state('not there', never())).rejects.toMatchObject({ code: 'not_found' })
    const since = await desk.feed.state(one, never())
    await expect(desk.feed.changes('not there', since, never())).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a state without a count of changes is no reason to miss any', async () => {
    const name = await box(3)
    const { modseq: _, ...since } = await desk.feed.state(name, never())
    await desk.other.imap.mailboxOpen(name)
    await desk.other.imap.messageFlagsAdd('2', ['\\Flagged'], { uid: true })
    await desk.other.vanish(name, 1)
    const changes = await desk.feed.changes(name, since, never())
    expect(changes).toMatchObject({
      kind: 'changed',
      gone: { kind: 'all_but', uids: [2, 3] },
      flags: [{ uid: 2, flags: ['\\Flagged'] }, { uid: 3 }],
    })
  })

  test('the way that the server can go is gone', async () => {
    const name = await box(3)
    const since = await desk.feed.state(name, never())
    await desk.other.vanish(name, 2)
    await desk.feed.changes(name, since, never())
    await desk.other.vanish(name, 3)
    desk.proxy.reset()
    const changes = await desk.feed.changes(name, since, never())
    const sent = desk.proxy.sent()
    expect([sent.includes('(QRESYNC ('), sent.includes('CHANGEDSINCE')]).toEqual([
      shape.includes('QRESYNC'),
      shape.includes('CONDSTORE'),
    ])
    expect(sent).not.toMatch(/SELECT "|CLOSE|EXPUNGE|STORE 1/)
    const gone = changes.kind === 'changed' ? changes.gone : undefined
    expect(gone).toEqual(shape.includes('QRESYNC') ? { kind: 'these', uids: [2, 3] } : { kind: 'all_but', uids: [1] })
  })
})
