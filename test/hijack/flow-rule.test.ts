/** The rule by which letters go free, held against one that knows nothing of normal forms, sets or windows but tries everybody. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHeader } from '../../src/core/mime/header.ts'
import type { Sending } from '../../src/core/outbox/sending.ts'
import { SEND_DEFAULTS, sendRules } from '../../src/core/policy/sending.ts'
import { FLOW_MS, mayFlow, NOTED_AGAIN_MS } from '../../src/engine/outbox/flow.ts'
import { readersOf } from '../../src/engine/outbox/reading.ts'
import type { ReadMail } from '../../src/ports/read-notes.ts'

const NOW = Date.UTC(2026, 0, 15)
const PEOPLE = ['ann@a.example', 'ben@a.example', 'cyd@b.example', 'dan@b.example', 'eve@evil.example']
const CALLERS = ['one', 'two']

interface Noted {
  readonly caller: string
  readonly at: number
  readonly readers: readonly string[]
}

const person = fc.constantFrom(...PEOPLE)
const group = fc.uniqueArray(person, { maxLength: PEOPLE.length })
/** Other spellings of the same address. */
const spelled = fc
  .tuple(person, fc.constantFrom(0, 1, 2))
  .map(([address, how]) => [address, address.toUpperCase(), address.replace(/^(\w+)/, '"$1"')][how] ?? address)
const spelledGroup = fc.array(spelled, { maxLength: 3 })
const noted: fc.Arbitrary<Noted> = fc.record({
  caller: fc.constantFrom(...CALLERS),
  // None so close to the end of the window that it may count or not.
  at: fc.constantFrom(NOW, NOW - FLOW_MS / 2, NOW - FLOW_MS, NOW - FLOW_MS - 2 * NOTED_AGAIN_MS, NOW - 3 * FLOW_MS),
  readers: group,
})

function sendingTo(caller: string, to: readonly string[], cc: readonly string[], bcc: readonly string[]): Sending {
  const people = (list: readonly string[]) => list.map((address) => ({ name: '', address }))
  return {
    ...{ kind: 'send', caller, account: 'a', from: { name: '', address: 'own@a.example' }, subject: '', text: '' },
    ...{ to: people(to), cc: people(cc), bcc: people(bcc), html: undefined, attachments: [], thread: undefined },
  }
}

const plain = (address: string): string => address.toLowerCase().replaceAll('"', '')

test('a letter goes free just where nobody learns from it what they could not have read', async () => {
  let [free, asked] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...CALLERS),
      fc.tuple(fc.array(spelled, { minLength: 1, maxLength: 3 }), spelledGroup, spelledGroup),
      fc.array(noted, { maxLength: 4 }),
      fc.array(group, { maxLength: 2 }),
      fc.uniqueArray(fc.constantFrom(...PEOPLE, '@b.example'), { maxLength: 2 }),
      async (caller, [to, cc, bcc], history, taken, trusted) => {
        const rules = sendRules({ ...SEND_DEFAULTS, approval: 'flow', trusted })
        const notes = {
          since: async (who: string, when: number): Promise<readonly ReadMail[]> =>
            history
              .filter(({ caller: by, at }) => by === who && at >= when)
              .map(({ readers }) => ({ account: 'a', readers })),
        }
        const along = taken.map((readers) => ({ account: 'a', readers }))
        const answer = await mayFlow(sendingTo(caller, to, cc, bcc), along, rules, notes, NOW)
        // Every message that is known to the letter, for every person who gets it.
        const known = [
          ...history.filter(({ caller: by, at }) => by === caller && NOW - at <= FLOW_MS).map(({ readers }) => readers),
          ...taken,
        ]
        let learns = false
        for (const somebody of [...to, ...cc, ...bcc].map(plain)) {
          if (trusted.includes(somebody) || trusted.includes(`@${somebody.split('@')[1]}`)) continue
          for (const readers of known) if (!readers.includes(somebody)) learns = true
        }
        if (answer) free += 1
        else asked += 1
        expect(answer).toBe(!learns)
      },
    ),
    { numRuns: 2000 },
  )
  // Both happen often enough to mean something.
  expect(Math.min(free, asked)).toBeGreaterThan(100)
})

test('to read more, to take more along or to write to more people never sets a letter free', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 3 }),
      person,
      fc.array(group, { maxLength: 3 }),
      group,
      async (to, another, read, more) => {
        const rules = sendRules({ ...SEND_DEFAULTS, approval: 'flow' })
        const asMail = (list: readonly (readonly string[])[]) => list.map((readers) => ({ account: 'a', readers }))
        const judge = (people: readonly string[], all: typeof read, taken: typeof read) =>
          mayFlow(sendingTo('one', people, [], []), asMail(taken), rules, { since: async () => asMail(all) }, NOW)
        if (await judge(to, read, [])) return
        expect(await judge(to, [...read, more], [])).toBe(false)
        expect(await judge(to, read, [more])).toBe(false)
        expect(await judge([...to, another], read, [])).toBe(false)
      },
    ),
  )
})

test('no name, subject or other field makes anybody a reader', () => {
  const text = fc.constantFrom(
    ...[
      'eve@evil.example',
      '<eve@evil.example>',
      'x, eve@evil.example',
      'a" <eve@evil.example> "b',
      '(eve@evil.example)',
    ],
    ...['=?utf-8?Q?x_<eve@evil.example>,?=', 'eve@evil.example:', ';eve@evil.example', '\\" eve@evil.example'],
  )
  const field = fc.constantFrom(
    'Reply-To',
    'Bcc',
    'Sender',
    'Resent-To',
    'Delivered-To',
    'X-To',
    'Subject',
    'Return-Path',
  )
  fc.assert(
    fc.property(text, text, field, (name, other, spare) => {
      const quoted = `"${name.replace(/["\\]/g, '\\$&')}"`
      const encoded = `=?utf-8?B?${Buffer.from(other).toString('base64')}?=`
      const header = [
        `From: ${quoted} <ann@a.example>`,
        `To: ${encoded} <ben@a.example>, ${quoted} <own@a.example>`,
        `${spare}: ${other}`,
      ]
      const bytes = new TextEncoder().encode(`${header.join('\r\n')}\r\n\r\nTo: eve@evil.example\r\n`)
      const readers = readersOf({ address: 'own@a.example' }, parseHeader(bytes))
      expect(readers).toEqual(['ann@a.example', 'ben@a.example', 'own@a.example'])
    }),
  )
})
