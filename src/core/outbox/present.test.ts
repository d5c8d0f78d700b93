import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OutboxEntry, RecipientMark } from './entry.ts'
import type { HtmlReview } from './html-review.ts'
import { presentEntry, presentParts } from './present.ts'
import type { Sending } from './sending.ts'
import { summaryOf } from './unseen.ts'

const SENDING: Sending = {
  kind: 'send',
  caller: 'agent',
  account: 'work',
  from: { name: '', address: 'me@example.com' },
  to: [{ name: 'Ada Lovelace', address: 'ada@example.org' }],
  cc: [],
  bcc: [],
  subject: 'Plans',
  text: 'Hi Ada,\n\nshall we?',
  html: undefined,
  attachments: [],
  thread: undefined,
}

function entry(sending: Partial<Sending> = {}, marks: readonly RecipientMark[] = []): OutboxEntry {
  return {
    id: 'a1',
    digest: 'd',
    sending: { ...SENDING, ...sending },
    messageId: '<m@x>',
    bytesDigest: 'b',
    marks,
    created: 0,
    expires: 1,
    state: { kind: 'waiting' },
  }
}

function linesOf(sending: Partial<Sending>, marks: readonly RecipientMark[] = [], html?: HtmlReview): string[] {
  return presentEntry(entry(sending, marks), html).split('\n')
}

test('a plain letter', () => {
  expect(linesOf({})).toEqual([
    '    Account:  work, asked for by agent',
    '    From:     me@example.com',
    '    To:       ada@example.org, shown as "Ada Lovelace"',
    '    Subject:  Plans',
    '',
    '    Text:',
    '    | Hi Ada,',
    '    |',
    '    | shall we?',
    '',
  ])
})

test('a letter with everything in it', () => {
  const sending: Partial<Sending> = {
    kind: 'reply',
    to: [{ name: 'boss@example.com', address: 'boss@exarnple.com' }],
    cc: [{ name: '', address: 'leo@xn--mnchen-3ya.de' }],
    bcc: [{ name: 'Pаypal', address: 'x@раура.example' }],
    subject: 'Rеd \u202eevil',
    text: 'one\u200btwo',
    html: '<p>pay <b>me</b></p>',
    attachments: [{ filename: 'fdp\u202e.exe', type: 'application/pdf', size: 12_345, digest: 'x' }],
    thread: { id: 't1', inReplyTo: undefined, references: [] },
  }
  const marks: RecipientMark[] = [
    { address: 'boss@EXARNPLE.com', mark: 'new' },
    { address: 'boss@exarnple.com', mark: 'look_alike', like: 'boss@example.com' },
  ]
  expect(linesOf(sending, marks)).toEqual([
    '    Hidden:   recipients will not see the following. Approving the',
    '              message sends it too:',
    '    !         only in the text version: one two',
    '    !         invisible characters: 1 in the subject, shown as [U+…]',
    '    !         invisible characters: 1 in the text, shown as [U+…]',
    '',
    '    Account:  work, asked for by agent',
    '    From:     me@example.com',
    '    To:       boss@exarnple.com, shown as "boss@example.com"',
    '    !         first message to this address',
    '    !         looks like boss@example.com, but is not',
    '    !         its name is made to look like an address',
    '    Cc:       leo@xn--mnchen-3ya.de',
    '    !         its domain xn--mnchen-3ya.de reads münchen.de',
    '    Bcc:      x@раура.example, shown as "Pаypal"',
    '    !         its domain is made to look like another',
    '    !         its name has letters that look like others, in 1 word',
    '    Subject:  Rеd [U+202E]evil',
    '    !         the subject has letters that look like others, in 1 word',
    '    Answers:  the conversation t1',
    '    Attached: 12345 bytes of application/pdf, SHA-256 x, named',
    '              "fdp[U+202E].exe"',
    '    !         it has an HTML version as well, shown after its text',
    '',
    '    Text:',
    '    !         invisible characters are written as numbers: 1',
    '    | one[U+200B]two',
    '',
    '    HTML:     a version of 20 characters',
    '    !         its text is not the same; most recipients read this version:',
    '    | pay me',
    '',
  ])
})

const HTML = '<p>Hi<!--x-->'
const SAME = 'a version of 13 characters, whose visible text is the same'
const SOURCE = ['', '    Source:   all of the HTML version, as it is sent:', `    | ${HTML}`]
const COMMENT = { kind: 'comment', text: 'x' } as const

function review(...pieces: HtmlReview['pieces']): HtmlReview {
  return { pieces, isJudged: true, misleadingLinks: 0 }
}

test.each<[string, string, HtmlReview | undefined, readonly string[]]>([
  ['the same', '<p>Hi,<br>old', undefined, [`    HTML:     ${SAME}`]],
  [
    'seen as the same, with a comment',
    HTML,
    review({ kind: 'text', text: 'Hi,\nold' }, COMMENT),
    [`    HTML:     ${SAME}`, ...['    | Hi,', '    | old', '    !         comment: x', ...SOURCE]],
  ],
  [
    'seen as another',
    HTML,
    review({ kind: 'text', text: 'Hi' }, COMMENT),
    [
      '    HTML:     a version of 13 characters',
      '    !         its text is not the same; most recipients read this version:',
      ...['    | Hi', '    !         comment: x', ...SOURCE],
    ],
  ],
  [
    'not judged',
    HTML,
    undefined,
    [
      '    HTML:     a version of 13 characters',
      '    !         its text is not the same; most recipients read this version:',
      ...[`    !         uncertain text, a recipient may not see this: ${HTML}`, ...SOURCE],
    ],
  ],
])('an HTML version that is %s', (_what, html, found, expected) => {
  const lines = linesOf({ html, text: 'Hi,\n> old' }, [], found)
  expect(lines.slice(lines.indexOf('    | > old') + 2, -1)).toEqual(expected)
})

test('uncertain text is listed first, marked where it stands, and has to be acknowledged', () => {
  const found = review(
    { kind: 'text', text: 'Hi' },
    { kind: 'uncertain', text: 'maybe' },
    { kind: 'hidden', text: 'no' },
  )
  const { review: reviewed } = presentParts(entry({ html: HTML, text: 'Hi' }), found)
  expect(reviewed.unseen.map(({ what, text }) => [what, text])).toEqual([
    ['uncertain text, a recipient may not see this', 'maybe'],
    ['hidden text', 'no'],
  ])
  expect(summaryOf(reviewed.unseen)).toBe('uncertain text (1), hidden text (1)')
  const lines = linesOf({ html: HTML, text: 'Hi' }, [], found)
  const mark = '    !         uncertain text, a recipient may not see this: maybe'
  expect(lines.filter((line) => line === mark)).toHaveLength(2)
  expect(lines.lastIndexOf(mark)).toBeGreaterThan(lines.indexOf('    HTML:     a version of 13 characters'))
})

test('no mark of ours can be written by the message', () => {
  const fake = review({ kind: 'hidden', text: 'a\n    | seen\n    !         link to: x' })
  const lines = linesOf({ html: HTML, text: 'Hi' }, [], fake)
  expect(lines).toContain('    !         hidden text: a | seen ! link to: x')
})

test('no subject, an empty text', () => {
  const lines = linesOf({ subject: '', text: '' })
  expect(lines.slice(3)).toEqual(['    Subject:', '    !         it has no subject', '', '    Text:', '    |', ''])
})

test('what was pushed out of sight is not', () => {
  const text = `top${'\n \u00a0'.repeat(500)}\nmiddle${' '.repeat(5000)}end`
  const lines = linesOf({ text })
  const shown = lines.slice(lines.indexOf('    Text:') + 1, -1)
  expect(shown[0]).toBe('    | top')
  expect(shown[1]).toMatch(/^ {4}! {9}500 empty lines$/)
  expect(shown[2]).toBe('    | middle')
  expect(shown[3]).toMatch(/^ {4}! {9}\d+ empty lines$/)
  expect(shown[4]).toMatch(/^ {4}\| *end$/)
})

test('whatever a letter holds, no line of it can be taken for one of ours', () => {
  const tricks = [
    ...['\n', '\r\n', '\r', '---\n', '    To:       x@y', '\n    !         fine', '    | ', 'status: approved', '```'],
    ...['\u001b[2J', '\u202e', '\u2028', ' '.repeat(80), 'x'.repeat(90), '日本', '@', '<', '"', '# ', '![](http://x)'],
  ]
  const odd = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.array(fc.constantFrom(...tricks), { maxLength: 12 }).map((list) => list.join('')),
  )
  const people = fc.array(fc.record({ name: odd, address: odd }), { maxLength: 3 })
  const files = fc.array(fc.record({ filename: odd, type: odd, size: fc.nat(), digest: fc.constant('d') }), {
    maxLength: 2,
  })
  fc.assert(
    fc.property(people, people, odd, odd, odd, files, (to, bcc, subject, text, html, attachments) => {
      const marks = to.map(({ address }) => ({ address, mark: 'look_alike' as const, like: subject }))
      const found = review({ kind: 'text', text: html }, { kind: 'hidden', text: subject }, { kind: 'link', text })
      const lines = linesOf({ to, bcc, subject, text, html, attachments }, marks, found)
      expect(lines.filter((line) => line !== '' && !/^ {4}(?:[|!]|[A-Z]\w+:| {10} *\S)/u.test(line))).toEqual([])
      const labels = lines
        .flatMap((line) => /^ {4}([A-Z]\w+:)/.exec(line)?.[1] ?? [])
        .filter((label) => label !== 'Source:')
      expect(labels).toEqual([
        ...['Hidden:', 'Account:', 'From:', ...to.map(() => 'To:'), ...bcc.map(() => 'Bcc:'), 'Subject:'],
        ...[...attachments.map(() => 'Attached:'), 'Text:', 'HTML:'],
      ])
      expect(lines.every((line) => [...line].length <= 76 && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(line))).toBe(true)
    }),
    { numRuns: 500 },
  )
})
