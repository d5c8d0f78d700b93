import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Sending } from './sending.ts'
import { isSimilar } from './similar.ts'

const person = (address: string) => ({ name: '', address })
const LONG =
  'Dear Bob, the plan for the offsite is ready. We meet at the station by the river and walk up to the old mill, where lunch ' +
  'is served. Please tell me whether you can join us, and whether you eat fish. Best wishes, Ada'

const message = (change: Partial<Sending> = {}): Sending => ({
  ...{ kind: 'send', caller: 'local', account: 'work', from: person('ada@example.org') },
  ...{ to: [person('bob@example.com')], cc: [], bcc: [] },
  ...{ subject: 'Lunch on Friday', text: 'Shall we say noon?', html: undefined, attachments: [], thread: undefined },
  ...change,
})

const thread = { id: 't', inReplyTo: undefined, references: [] }
const answer = (text: string): Sending =>
  message({ kind: 'reply', thread, text: `${text}\n\nOn 6 May 2026, Bob wrote:\n> ${LONG}\n` })
const file = { filename: 'plan.txt', type: 'text/plain', size: 4, digest: 'a'.repeat(64) }

test.each<[string, Sending, Sending]>([
  ['a comma', message(), message({ text: 'Shall we say, noon?' })],
  ['the letter case and blanks', message(), message({ subject: 'LUNCH on  friday', text: ' shall we say NOON?\n' })],
  ['a typing error', message({ text: 'Shal we say noon?' }), message()],
  ['a word in ten', message({ text: LONG }), message({ text: LONG.replace('Best', 'Kind') })],
  ['a word more', message({ text: LONG }), message({ text: LONG.replace('Please', 'Please do') })],
  ['a word less', message({ text: LONG }), message({ text: LONG.replace('old ', '') })],
  ['a word at either end', message({ text: LONG }), message({ text: `Hello, ${LONG} Lovelace` })],
  [
    'a name beside an address',
    message(),
    message({ to: [{ name: 'Bob', address: 'bob@EXAMPLE.com' }], subject: 'Lunch on Friday.' }),
  ],
  ['a comma in an answer', answer('Yes please'), answer('Yes, please')],
  ['a comma in HTML', message({ html: '<p>At noon</p>' }), message({ html: '<p>At noon.</p>' })],
  [
    'a comma beside a file',
    message({ attachments: [file] }),
    message({ attachments: [file], text: 'Shall we say: noon?' }),
  ],
])('%s is a small edit', (_what, one, other) => {
  expect([isSimilar(one, other), isSimilar(other, one)]).toEqual([true, true])
})

test.each<[string, Sending, Sending]>([
  ['another recipient', message(), message({ to: [person('bo@example.com')] })],
  ['a hidden copy', message(), message({ bcc: [person('eve@example.org')] })],
  ['another account', message(), message({ account: 'home' })],
  ['another caller', message(), message({ caller: 'other' })],
  [
    'another thread',
    answer('Yes'),
    message({ kind: 'reply', thread: { ...thread, id: 'u' }, text: answer('Yes').text }),
  ],
  ['another subject', message(), message({ subject: 'Dinner on Friday' })],
  ['another word of few', message(), message({ text: 'Shall we say one?' })],
  ['a short word', message({ text: 'It is now' }), message({ text: 'It is not' })],
  ['another answer', answer('Yes'), answer('No')],
  ['another answer below a quotation', message({ text: '> When?\nMonday' }), message({ text: '> When?\nSaturday' })],
  ['another quotation', message({ text: '> 100\nAgreed' }), message({ text: '> 200\nAgreed' })],
  ['another number', message({ text: `${LONG} 100` }), message({ text: `${LONG} 1000` })],
  ['a number more', message({ text: LONG }), message({ text: `${LONG} 1` })],
  ['another currency', message({ text: `${LONG} € 5` }), message({ text: `${LONG} $ 5` })],
  ['another picture', message({ text: '👍' }), message({ text: '👎' })],
  ['other signs alone', message({ text: '...' }), message({ text: '?' })],
  ['many words', message({ text: LONG }), message({ text: LONG.replace(/the/g, 'no').replace(/and/g, 'or') })],
  ['twice the text', message({ text: LONG }), message({ text: `${LONG} ${LONG}` })],
  ['another file', message({ attachments: [file] }), message({ attachments: [{ ...file, digest: 'b'.repeat(64) }] })],
  ['a file', message(), message({ attachments: [file] })],
  ['an HTML version', message(), message({ html: '<p>Shall we say noon?</p>' })],
])('%s is another message', (_what, one, other) => {
  expect([isSimilar(one, other), isSimilar(other, one)]).toEqual([false, false])
})

test('long texts are compared in one go', () => {
  const long = [...['x', 'x ', ': ', '1 ', '>', '\n'].map((one) => one.repeat(250_000)), 'one two '.repeat(60_000)]
  for (const text of long) {
    const edited = `Well, ${text} well`
    expect(isSimilar(answer(text), answer(text))).toBe(true)
    expect(isSimilar(answer(text), answer(edited))).toBeTypeOf('boolean')
    expect(isSimilar(message({ text }), message({ text: edited }))).toBeTypeOf('boolean')
  }
})

test('is the same whichever comes first, and every message is similar to itself', () => {
  const text = fc.array(fc.constantFrom('we', 'meet', 'meat', 'noon', 'not', '12', '€', ',', 'river'), {
    maxLength: 25,
  })
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [a, b] = [message({ text: one.join(' ') }), message({ text: other.join(' ') })]
      expect(isSimilar(a, b)).toBe(isSimilar(b, a))
      expect(isSimilar(a, a)).toBe(true)
    }),
  )
})
