/** Trees of search keys, asked of a real server and worked out by hand. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SearchKey } from '../../src/core/query/search-key.ts'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import { never } from '../mail-source/bench.ts'
import { at, letter } from '../mail-source/messages.ts'
import { type FeedDesk, feedDesk } from './feed-desk.ts'

interface Known {
  readonly id: string
  readonly subject: string
  readonly from: string
  readonly body: string
  readonly flags: readonly string[]
  readonly day: string
}

const MAIL: readonly Known[] = Array.from({ length: 12 }, (_, index) => ({
  id: `<seed-${index}@example.org>`,
  subject: ['Grüße an alle', 'say "hi" (now)', 'plain {5} words'][index % 3] ?? '',
  from: index % 2 === 0 ? 'ada@example.org' : 'zoe@example.net',
  body: `body ${'x'.repeat(index * 100)} ${index % 4 === 0 ? 'Straße' : 'street'}`,
  flags: [['\\Seen'], ['$Todo', '\\Flagged'], []][index % 3] ?? [],
  day: `2024-03-${10 + index}`,
}))

const leaf: fc.Arbitrary<SearchKey> = fc.oneof(
  fc.constantFrom<SearchKey>({ kind: 'all' }, { kind: 'none' }),
  fc
    .constantFrom('Grüße', 'say "hi"', 'an', 'nowhere', '{5}')
    .map((contains) => ({ kind: 'subject' as const, contains })),
  fc.constantFrom('ada', 'zoe@example.net', 'ADA').map((contains) => ({ kind: 'from' as const, contains })),
  fc.constantFrom('Straße', 'street', 'none').map((contains) => ({ kind: 'body' as const, contains })),
  fc
    .constantFrom('seed-1', 'seed', 'zoe')
    .map((contains) => ({ kind: 'header', name: 'Message-ID', contains }) as const),
  fc
    .constantFrom('\\Seen', '\\flagged', '$Todo', '\\Recent', 'absent')
    .map((flag) => ({ kind: 'flag' as const, flag })),
  fc.constantFrom('\\Seen', '$Todo').map((flag) => ({ kind: 'unflag' as const, flag })),
  fc.constantFrom('2024-03-09', '2024-03-15', '2024-03-30').map((day) => ({ kind: 'since' as const, day })),
  fc.constantFrom('2024-03-09', '2024-03-15', '2024-03-30').map((day) => ({ kind: 'before' as const, day })),
  fc.constantFrom(-5, 0, 99_999_999_999).map((bytes) => ({ kind: 'larger' as const, bytes })),
  fc.constantFrom(-5, 0, 99_999_999_999).map((bytes) => ({ kind: 'smaller' as const, bytes })),
)
const tree = fc.letrec<{ key: SearchKey }>((tie) => ({
  key: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({ kind: fc.constant('and' as const), of: fc.array(tie('key'), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('or' as const), of: fc.array(tie('key'), { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('not' as const), of: tie('key') }),
  ),
})).key

function holds(key: SearchKey, mail: Known): boolean {
  const within = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())
  switch (key.kind) {
    case 'all':
      return true
    case 'and':
      return key.of.every((one) => holds(one, mail))
    case 'or':
      return key.of.some((one) => holds(one, mail))
    case 'not':
      return !holds(key.of, mail)
    case 'subject':
      return within(mail.subject, key.contains)
    case 'header':
      return within(mail.id, key.contains)
    case 'from':
      return within(mail.from, key.contains)
    case 'body':
      return within(mail.body, key.contains)
    case 'flag':
      return mail.flags.some((flag) => flag.toLowerCase() === key.flag.toLowerCase())
    case 'unflag':
      return !mail.flags.includes(key.flag)
    case 'since':
      return mail.day >= key.day
    case 'before':
      return mail.day < key.day
    case 'larger':
      return key.bytes <= 0
    case 'smaller':
      return key.bytes > 0
    default:
      return false
  }
}

describe.each([
  ['that sorts', {}],
  ['that only searches', { capability: capabilityWithout('SORT', 'SORT=DISPLAY', 'ESORT') }],
])('a server %s', (_name, server) => {
  let desk: FeedDesk
  beforeAll(async () => {
    desk = await feedDesk(server)
    const seeds = MAIL.map(({ id, subject, from, body, flags, day }) => ({
      raw: letter({ messageId: id, subject, from, body }),
      flags,
      received: at(`${day}T12:00:00Z`),
    }))
    await desk.other.seed('box', seeds)
  })
  afterAll(() => desk.stop())

  test('finds what any tree says, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (key) => {
        const { uids } = await desk.feed.find('box', { criteria: {}, key, take: 99 }, never())
        const expected = MAIL.flatMap((mail, index) => (holds(key, mail) ? [index + 1] : []))
        expect(uids.toSorted((a, b) => a - b)).toEqual(expected)
      }),
      { numRuns: 150 },
    )
  })

  test('of a key and the same with another beside it, the wider one counts', async () => {
    const todo: SearchKey = { kind: 'unflag', flag: '$Todo' }
    const narrow: SearchKey = { kind: 'and', of: [{ kind: 'subject', contains: 'Grüße' }, todo] }
    for (const key of [
      { kind: 'or', of: [narrow, todo] },
      {
        kind: 'not',
        of: {
          kind: 'and',
          of: [
            { kind: 'not', of: narrow },
            { kind: 'flag', flag: '$Todo' },
          ],
        },
      },
    ] satisfies SearchKey[]) {
      const { uids } = await desk.feed.find('box', { criteria: {}, key, take: 99 }, never())
      expect(uids.toSorted((a, b) => a - b)).toEqual(
        MAIL.flatMap((mail, index) => (holds(todo, mail) ? [index + 1] : [])),
      )
    }
  })

  test('what lacks one flag or another is found, whatever was seen before it', async () => {
    const lacks = (flag: string): SearchKey => ({ kind: 'unflag', flag })
    const key: SearchKey = { kind: 'or', of: [lacks('\\Seen'), lacks('\\Flagged')] }
    const { uids } = await desk.feed.find('box', { criteria: {}, key, take: 99 }, never())
    expect(uids).toHaveLength(MAIL.length)
  })

  test('holds beside criteria, days among them', async () => {
    const key: SearchKey = { kind: 'not', of: { kind: 'from', contains: 'ada' } }
    const criteria = { since: '2024-03-12', until: '2024-03-17' }
    const { uids } = await desk.feed.find('box', { criteria, key, take: 99 }, never())
    expect(uids).toEqual([8, 6, 4])
  })

  test.each<[string, SearchKey]>([
    ['a line break', { kind: 'subject', contains: 'a\r\nb' }],
    ['half a character', { kind: 'body', contains: '\ud800' }],
    ['a flag that is none', { kind: 'flag', flag: 'a b' }],
    ['a day that is none', { kind: 'since', day: 'today' }],
  ])('%s is refused before anything is sent', async (_what, key) => {
    await desk.feed.state('box', never())
    desk.proxy.reset()
    await expect(desk.feed.find('box', { criteria: {}, key, take: 1 }, never())).rejects.toMatchObject({
      code: 'invalid_input',
    })
    expect(desk.proxy.sent()).toBe('')
  })
})
