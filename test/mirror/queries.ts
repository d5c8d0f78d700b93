/** Queries that have much to do with the messages of `letters.ts`: as trees, and as people and agents may write them. */
import fc from 'fast-check'
import { Failure } from '../../src/core/failure.ts'
import { parseQuery } from '../../src/core/query/parse.ts'
import { printQuery } from '../../src/core/query/print.ts'
import type { Query, WordField } from '../../src/core/query/query.ts'
import { piecesOf } from '../../src/core/query/words.ts'
import { FLAGS, IDS, MOMENTS, WORDS } from './letters.ts'

const FIELDS: readonly WordField[] = ['any', 'any', 'from', 'to', 'cc', 'bcc', 'subject', 'body', 'filename']
/** Beginnings, parts and neighbours of words that are there. */
const PARTS = [
  'i',
  'inv',
  'oices',
  '202',
  'caf',
  'stra',
  'σοφ',
  '京',
  '都庁',
  'らが',
  '국',
  'ษาไ',
  'a',
  'example',
  'png',
  'zebra',
]

const written = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...WORDS) }, fc.constantFrom(...PARTS)), {
  ...{ minLength: 1, maxLength: 2 },
})
const words = fc
  .record({ field: fc.constantFrom(...FIELDS), written, open: fc.boolean() })
  .map(({ field, written: said, open }): Query => {
    const pieces = piecesOf(said.join(' '))
    // Of emoji alone nothing is left to look for.
    return pieces.length === 0 ? { kind: 'attachment' } : { kind: 'words', field, pieces, open }
  })
const moment = fc.constantFrom(...MOMENTS, MOMENTS[3] as number)
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const bytes = fc.constantFrom(0, 200, 300, 400, 500, 700, 1000)

const leaf: fc.Arbitrary<Query> = fc.oneof(
  { weight: 8, arbitrary: words },
  fc.constantFrom<Query>(
    { kind: 'all' },
    { kind: 'none' },
    { kind: 'attachment' },
    { kind: 'uncertain', where: 'any' },
  ),
  fc.constantFrom(...FLAGS, '\\seen', 'WORK', 'nothing').map((flag): Query => ({ kind: 'flag', flag })),
  fc.tuple(maybe(moment), maybe(moment)).map(
    ([from, before]): Query => ({
      kind: 'received',
      ...(from !== undefined && { from }),
      ...(before !== undefined && { before }),
    }),
  ),
  fc.tuple(maybe(bytes), maybe(bytes)).map(
    ([over, under]): Query => ({
      kind: 'size',
      ...(over !== undefined && { over }),
      ...(under !== undefined && { under }),
    }),
  ),
  fc.constantFrom(...IDS, 'none@x.example').map((id): Query => ({ kind: 'message_id', id })),
  fc.constantFrom('inbox', 'anywhere', 'trash', 'starred').map((place): Query => ({ kind: 'in', place })),
  fc.constantFrom('unread', 'Work', 'nowhere').map((label): Query => ({ kind: 'label', label })),
)

const tree: fc.Arbitrary<Query> = fc.letrec<{ tree: Query }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('tree'), { maxLength: 3 }))
      .map(([kind, of]): Query => ({ kind, of })),
    tie('tree').map((of): Query => ({ kind: 'not', of })),
  ),
})).tree

const PIECES = [
  ...WORDS,
  ...['from:', 'subject:', 'body:', 'to:', 'filename:', '-', '(', ')', '{', '}', '"', '*', ' ', ' ', ' OR ', ' AND '],
  ...[
    'is:unread',
    'is:starred',
    'has:attachment',
    'has:uncertain',
    'after:2025/06/16',
    'before:2025-06-16',
    'larger:300',
    'older_than:1d',
  ],
]
const raw = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''))

/** As text; not every text can be read. */
export const queryText = fc.oneof({ weight: 3, arbitrary: tree.map(printQuery) }, raw)

export function readable(text: string, nowSeconds: number): Query | undefined {
  try {
    return parseQuery(text, nowSeconds)
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_input') return undefined
    throw error
  }
}
