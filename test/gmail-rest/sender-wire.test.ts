/** The last look at a message whose recipients are taken from its header. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressField } from '../../src/core/compose/header-lines.ts'
import { checkWire, unnamedIn } from '../../src/core/outbox/wire-check.ts'

const FROM = 'ada@gmail.example'
const people = (addresses: readonly string[]) => addresses.map((address) => ({ name: '', address }))

function message(fields: Readonly<Record<string, readonly string[]>>): Uint8Array {
  const lines = Object.entries({ From: [FROM], ...fields })
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${addressField(name, people(list))}\r\n`)
  return Buffer.from(`${lines.join('')}Subject: x\r\n\r\nhello\r\n`)
}

const address = fc
  .tuple(fc.stringMatching(/^[a-z0-9+_-]{1,12}$/), fc.stringMatching(/^[a-zA-Z0-9]{1,10}$/))
  .map(([local, domain]) => `${local}@${domain}.example`)
const addresses = fc.uniqueArray(address, { minLength: 1, maxLength: 30, selector: (one) => one.toLowerCase() })

test('who is named nowhere stands in Bcc, and then everybody is named once', () => {
  fc.assert(
    fc.property(addresses, fc.nat(30), fc.nat(30), (recipients, first, second) => {
      const [to, cc, bcc] = [
        recipients.slice(0, first),
        recipients.slice(first, first + second),
        recipients.slice(first + second),
      ]
      const bytes = message({ To: to, Cc: cc })
      expect(unnamedIn(bytes, recipients)).toEqual(bcc)
      checkWire(message({ Bcc: bcc, To: to, Cc: cc }), { from: FROM, recipients, bcc })
    }),
  )
})

const [ONE, TWO, EVE] = ['one@a.example', 'two@a.example', 'eve@b.example']
const recipients = [ONE, TWO]

test.each([
  ['somebody is named nowhere', { To: [ONE] }, []],
  ['Bcc names somebody else', { To: [ONE], Bcc: [EVE] }, [TWO]],
  ['Bcc names somebody beside', { To: [ONE], Bcc: [TWO, EVE] }, [TWO]],
  ['somebody beside is expected in it', { To: [ONE], Bcc: [TWO, EVE] }, [TWO, EVE]],
  ['Bcc is there and none should be', { To: [ONE, TWO], Bcc: [ONE] }, []],
  ['Cc names somebody else', { To: [ONE], Cc: [EVE], Bcc: [TWO] }, [TWO]],
])('nothing leaves where %s', (_what, fields, bcc) => {
  expect(() => checkWire(message(fields), { from: FROM, recipients, bcc })).toThrow(/it was not sent/)
})

test('a second Bcc never leaves', () => {
  const bytes = Buffer.concat([Buffer.from(`Bcc: ${TWO}\r\n`), message({ To: [ONE], Bcc: [EVE] })])
  expect(() => checkWire(bytes, { from: FROM, recipients, bcc: [TWO, EVE] })).toThrow(/twice/)
})
