/** What holds for every query and every message. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure, unreachable } from '../failure.ts'
import { atLeast, LEVELS, type Level } from '../policy/level.ts'
import { boundsOf } from './bounds.ts'
import { matches, needsOfQuery, type Searchable } from './evaluate.ts'
import { MAX_QUERY_CHARACTERS, MAX_QUERY_NESTING, parseQuery } from './parse.ts'
import { asksForPlaces, settle, simplify } from './places.ts'
import { printQuery } from './print.ts'
import { type Query, type WordField, type WordsTerm, withUncertainWords } from './query.ts'
import { asReadAt, asReadBetween } from './readable.ts'
import type { SearchKey } from './search-key.ts'
import { toGmailQuery } from './to-gmail.ts'
import { toSearchKey } from './widen.ts'
import { foldWords, patternOf, piecesOf, wordsIn } from './words.ts'

const NOW = 1_750_000_000
const RUNS = { numRuns: 1500 }

// Few words, so that queries and messages meet.
const word = fc.constantFrom(
  'a',
  'B',
  'ab',
  'me',
  'Größe',
  'cafe\u0301',
  'in\u00advoice',
  '東京都',
  '京',
  '東a',
  'b_a',
  '7',
)
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ', ', '-', '', '\n')), { maxLength: 6 })
  .map((words) => words.flat().join(''))
const flag = fc.constantFrom('\\Seen', '\\flagged', '$Important', 'work', 'two words', '\\Odd')
// About midnight and noon, where days and time zones part.
const moment = fc
  .tuple(
    fc.integer({ min: -1, max: 1 }),
    fc.constantFrom(0, 43_200),
    fc.constantFrom(-1, 0, 1),
    fc.constantFrom(0, 20_254, 20_254, 20_254),
  )
  .map(([days, noon, seconds, since]) => (since + days) * 86_400 + noon + seconds)
const bytes = fc.integer({ min: 0, max: 6 })
const messageId = fc.constantFrom('x@y', 'X@y', '<x@y>', 'x y', 'é@y')

const field = fc.constantFrom<WordField>('any', 'from', 'to', 'cc', 'bcc', 'subject', 'body', 'filename')
const words = fc
  .record({ field, written: fc.array(word, { minLength: 1, maxLength: 2 }), open: fc.boolean() })
  .map(({ field, written, open }): WordsTerm => ({ kind: 'words', field, pieces: piecesOf(written.join(' ')), open }))
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const received = fc.tuple(maybe(moment), maybe(moment)).map(
  ([from, before]): Query => ({
    kind: 'received',
    ...(from !== undefined && { from }),
    ...(before !== undefined && { before }),
  }),
)
const settledLeaf: fc.Arbitrary<Query> = fc.oneof(
  { weight: 6, arbitrary: words },
  fc.constantFrom<Query>(
    { kind: 'all' },
    { kind: 'none' },
    { kind: 'attachment' },
    { kind: 'uncertain', where: 'any' },
  ),
  flag.map((flag): Query => ({ kind: 'flag', flag })),
  received,
  fc.tuple(maybe(bytes), maybe(bytes)).map(
    ([over, under]): Query => ({
      kind: 'size',
      ...(over !== undefined && { over: over - 1 }),
      ...(under !== undefined && { under }),
    }),
  ),
  messageId.map((id): Query => ({ kind: 'message_id', id })),
)
const name = fc.constantFrom('inbox', 'Sent', 'work', 'a "b" (c)', 'starred', 'x/work', '"', 'anywhere')
const place: fc.Arbitrary<Query> = fc.oneof(
  name.map((place): Query => ({ kind: 'in', place })),
  name.map((label): Query => ({ kind: 'label', label })),
)
const folder = fc.record({
  path: fc.constantFrom('INBOX', 'x/work', 'a "b" (c)', 'Gesendet', '"'),
  role: fc.constantFrom('sent', 'flagged', undefined),
})

const treeOf = (leaf: fc.Arbitrary<Query>): fc.Arbitrary<Query> =>
  fc.letrec<{ tree: Query }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 2, arbitrary: leaf },
      fc
        .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('tree'), { maxLength: 3 }))
        .map(([kind, of]): Query => ({ kind, of })),
      tie('tree').map((of): Query => ({ kind: 'not', of })),
    ),
  })).tree
/** As the parser makes them: words look into uncertain text where the query asks for it. */
const parsed = (tree: fc.Arbitrary<Query>): fc.Arbitrary<Query> => tree.map((one) => withUncertainWords(simplify(one)))
const query = parsed(treeOf(settledLeaf))
const unsettled = parsed(treeOf(fc.oneof({ weight: 3, arbitrary: settledLeaf }, place)))

const message: fc.Arbitrary<Searchable> = fc
  .record({
    from: text,
    to: text,
    cc: text,
    bcc: text,
    subject: text,
    filenames: text,
    body: text,
    attachmentTexts: fc.array(text, { maxLength: 2 }),
    uncertain: text,
    uncertainAttachments: fc.array(text, { maxLength: 2 }),
    flags: fc.array(flag, { maxLength: 3 }),
    size: bytes,
    received: moment,
    messageId: maybe(messageId),
    hasAttachment: fc.boolean(),
  })
  .map(({ messageId, ...rest }) => ({ ...rest, ...(messageId !== undefined && { messageId }) }))

const language = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...'( ) { } " - * : OR AND from: subject:( is: is:read has:uncertain in:x label: after: larger:'.split(' '),
      ' ',
    ),
    word,
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
  { maxLength: 25 },
)

/** Undefined where it is refused, which must be said in the proper way. */
function readOrRefused(asked: string): Query | undefined {
  try {
    return parseQuery(asked, NOW)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error.code).toBe('invalid_input')
    const position = error.details?.['position']
    expect(position).toBeGreaterThanOrEqual(1)
    expect(position).toBeLessThanOrEqual([...asked].length)
    return undefined
  }
}

test('every text is a query that can be printed and read again, or is refused at a place in it', () => {
  const written = fc.oneof(
    language.map((tokens) => tokens.join('')),
    fc.string({ unit: 'binary' }),
    fc.string({ maxLength: 2500, size: 'max' }),
  )
  fc.assert(
    fc.property(written, (asked) => {
      const read = readOrRefused(asked)
      const printed = read === undefined ? '' : printQuery(read)
      if (read === undefined || printed.length > MAX_QUERY_CHARACTERS) return
      expect(simplify(parseQuery(printed, NOW))).toEqual(simplify(read))
    }),
    RUNS,
  )
})

test('a printed query means the same', () => {
  fc.assert(
    fc.property(unsettled, folder, message, (asked, there, searched) => {
      const again = parseQuery(printQuery(asked), NOW)
      expect(matches(settle(again, there), searched)).toBe(matches(settle(asked, there), searched))
    }),
    RUNS,
  )
})

test('what was parsed is nested no deeper when it is printed', () => {
  const opener = fc.constantFrom('(a ', '(a OR ', '-(b ', '{a b ', 'c -(', '(b) OR {', 'from:x -{')
  fc.assert(
    fc.property(fc.array(opener, { maxLength: MAX_QUERY_NESTING }), (openers) => {
      const closers = openers.map((each) => (each.includes('{') ? '}' : ')')).toReversed()
      const read = parseQuery(`${openers.join('')}c${closers.join('')}`, NOW)
      expect(simplify(parseQuery(printQuery(read), NOW))).toEqual(simplify(read))
    }),
  )
})

test('simplifying and settling leave the meaning, and no place', () => {
  fc.assert(
    fc.property(unsettled, folder, message, (asked, there, searched) => {
      const settled = settle(asked, there)
      expect(asksForPlaces(settled)).toBe(false)
      expect(matches(simplify(settled), searched)).toBe(matches(settled, searched))
    }),
    RUNS,
  )
  fc.assert(
    fc.property(query, message, (asked, searched) => {
      expect(matches(simplify(asked), searched)).toBe(matches(asked, searched))
    }),
    RUNS,
  )
})

test('words are found where they follow each other', () => {
  fc.assert(
    fc.property(words, message, (term, searched) => {
      const { words, open } = patternOf(term.pieces, term.open)
      const there = wordsIn(searched.subject)
      const isAt = (start: number): boolean =>
        words.every((word, at) =>
          open && at === words.length - 1 ? there[start + at]?.startsWith(word) : there[start + at] === word,
        )
      const expected = there.some((_, start) => isAt(start))
      expect(matches({ ...term, field: 'subject' }, searched)).toBe(expected)
    }),
    RUNS,
  )
})

/** What a server does with a key, in a time zone of its own. */
function finds(key: SearchKey, searched: Searchable, zone: number): boolean {
  const has = (where: string | undefined, what: string): boolean => foldWords(where ?? '').includes(foldWords(what))
  const day = new Date((searched.received + zone) * 1000).toISOString().slice(0, 10)
  const { from, to, cc, bcc, subject, filenames, attachmentTexts = [], uncertainAttachments = [] } = searched
  // A server knows no visible text: it looks at all of it.
  const body = [searched.body ?? '', searched.uncertain ?? '']
  switch (key.kind) {
    case 'all':
      return true
    case 'none':
      return false
    case 'and':
      return key.of.every((one) => finds(one, searched, zone))
    case 'or':
      return key.of.some((one) => finds(one, searched, zone))
    case 'not':
      return !finds(key.of, searched, zone)
    case 'text':
      return [from, to, cc, bcc, subject, filenames, ...body, ...attachmentTexts, ...uncertainAttachments].some(
        (each) => has(each, key.contains),
      )
    case 'header':
      return has(searched.messageId, key.contains)
    case 'flag':
      return searched.flags.some((each) => each.toLowerCase() === key.flag.toLowerCase())
    case 'unflag':
      return !searched.flags.some((each) => each.toLowerCase() === key.flag.toLowerCase())
    case 'larger':
      return searched.size > key.bytes
    case 'smaller':
      return searched.size < key.bytes
    case 'since':
      return day >= key.day
    case 'before':
      return day < key.day
    case 'body':
      return body.some((each) => has(each, key.contains))
    case 'from':
    case 'to':
    case 'cc':
    case 'bcc':
    case 'subject':
      return has(searched[key.kind], key.contains)
    default:
      return unreachable(key)
  }
}

test('a server finds all that a query means, and nothing else where the key is exact', () => {
  const zone = fc.integer({ min: -12 * 3600, max: 14 * 3600 })
  fc.assert(
    fc.property(fc.oneof(query, treeOf(received)), message, zone, (asked, searched, zone) => {
      const { key, exact } = toSearchKey(asked)
      const meant = matches(asked, searched)
      if (meant || exact) expect(finds(key, searched, zone)).toBe(meant)
    }),
    RUNS,
  )
})

test('Gmail can be asked every query, and is asked nothing that the query does not hold', () => {
  fc.assert(
    fc.property(unsettled, (asked) => {
      const outside = toGmailQuery(asked).text.replaceAll(/"[\p{L}\p{N}\p{M} ]+"/gu, '')
      expect(outside).toMatch(
        /^(?:[-() ]|OR|(?:from|to|cc|bcc|subject|filename):|(?:is|in):[a-z]+|(?:after|before|larger|smaller):\d+|rfc822msgid:[a-z]@y)*$/i,
      )
    }),
    RUNS,
  )
})

test('what stands above a level has no say', () => {
  const level = fc.constantFrom<Level>(...LEVELS)
  fc.assert(
    fc.property(query, level, message, message, (asked, seen, one, other) => {
      const readable = asReadAt(asked, seen)
      expect(matches(readable, hidden(one, other, seen))).toBe(matches(readable, one))
      expect(matches(asReadAt(asked, 'FULL'), one)).toBe(matches(asked, one))
      expect(matches(asReadAt(readable, seen), one)).toBe(matches(readable, one))
    }),
    RUNS,
  )
})

test('what holds at some level holds for whoever sees most of what must and least of what must not', () => {
  const level = fc.nat(LEVELS.length - 1)
  fc.assert(
    fc.property(query, fc.tuple(level, level, level), message, (asked, levels, one) => {
      const [floor = 'NONE', seen = 'NONE', ceiling = 'NONE'] = levels.toSorted().map((at) => LEVELS[at])
      const wide = asReadBetween(asked, floor, ceiling)
      expect(matches(wide, one) || !matches(asReadAt(asked, seen), one)).toBe(true)
      expect(matches(asReadBetween(asked, seen, seen), one)).toBe(matches(asReadAt(asked, seen), one))
    }),
    RUNS,
  )
})

test('what matches holds whatever stands above the level', () => {
  const level = fc.constantFrom<Level>(...LEVELS)
  fc.assert(
    fc.property(query.map(inNamedFields), level, message, message, (asked, seen, one, other) => {
      if (matches(asReadAt(asked, seen), one)) expect(matches(asked, hidden(one, other, seen))).toBe(true)
    }),
    RUNS,
  )
})

/** Bare words ask only for what can be read: so they say nothing of what cannot. */
function inNamedFields(asked: Query): Query {
  switch (asked.kind) {
    case 'and':
    case 'or':
      return { kind: asked.kind, of: asked.of.map(inNamedFields) }
    case 'not':
      return { kind: 'not', of: inNamedFields(asked.of) }
    case 'words':
      return asked.field === 'any' ? { ...asked, field: 'body' } : asked
    case 'uncertain':
      return { ...asked, where: 'body' }
    default:
      return asked
  }
}

/** `one` as far as the level shows it, and beyond that `other`. */
function hidden(one: Searchable, other: Searchable, level: Level): Searchable {
  const { flags, size, from, to, cc, bcc, subject, received, body, uncertain } = one
  const { messageId: _theirs, ...unnamed } = other
  const named = atLeast(level, 'HEADERS') ? one : other
  if (level === 'FULL') return one
  return {
    ...unnamed,
    ...(named.messageId !== undefined && { messageId: named.messageId }),
    ...(atLeast(level, 'METADATA') && { flags, size }),
    ...(atLeast(level, 'ENVELOPE') && { from, to, cc, bcc, subject, received }),
    ...(atLeast(level, 'BODY') && body !== undefined && { body }),
    ...(atLeast(level, 'BODY') && uncertain !== undefined && { uncertain }),
  }
}

test('what is not needed has no say', () => {
  fc.assert(
    fc.property(query, message, (asked, searched) => {
      const { header, structure, text } = needsOfQuery(asked)
      const {
        messageId: _id,
        body: _body,
        attachmentTexts: _texts,
        uncertain: _u,
        uncertainAttachments: _a,
        ...bare
      } = searched
      const without: Searchable = {
        ...(text
          ? searched
          : header && searched.messageId !== undefined
            ? { ...bare, messageId: searched.messageId }
            : bare),
        ...(!header && { from: '', to: '', cc: '', bcc: '', subject: '' }),
        ...(!structure && { filenames: '', hasAttachment: false }),
      }
      expect(matches(asked, without)).toBe(matches(asked, searched))
    }),
    RUNS,
  )
})

test('what is certain before a body is read stays so whatever it says', () => {
  fc.assert(
    fc.property(query, message, (asked, searched) => {
      const { least, most } = boundsOf(asked)
      const { body: _body, attachmentTexts: _texts, uncertain: _u, uncertainAttachments: _a, ...unread } = searched
      if (matches(least, unread)) expect(matches(asked, searched)).toBe(true)
      if (!matches(most, unread)) expect(matches(asked, searched)).toBe(false)
    }),
    RUNS,
  )
})
