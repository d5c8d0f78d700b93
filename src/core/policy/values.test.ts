import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ValueKind } from './predicates.ts'
import { readValue } from './values.ts'

test.each<[ValueKind, unknown, unknown]>([
  ['address', 'Alice@Example.com.', 'alice@example.com'],
  ['address', ' alice@bücher.example ', 'alice@xn--bcher-kva.example'],
  ['address', 'a+b%c!d@example.com', 'a+b%c!d@example.com'],
  ['domain', 'HORNBACH.de.', 'hornbach.de'],
  ['domain', ' bücher.example', 'xn--bcher-kva.example'],
  ['domain', 'localhost', 'localhost'],
  ['text', 'Straße', 'STRASSE'],
  ['text', ' ', ' '],
  ['flag', true, true],
  ['flag', false, false],
  ['age', '1s', 1],
  ['age', '2m', 120],
  ['age', '3h', 10_800],
  ['age', '30d', 2_592_000],
  ['age', '2w', 1_209_600],
  ['age', '1y', 31_536_000],
  ['age', '0d', 0],
  ['age', '999999y', 999_999 * 31_536_000],
  ['bytes', 0, 0],
  ['bytes', 10_000, 10_000],
  ['yes', true, true],
])('%s %j is read as %j', (kind, raw, value) => {
  expect(readValue(kind, raw)).toEqual({ ok: true, value })
})

test.each<[ValueKind, readonly unknown[]]>([
  ['address', ['', 'alice', 'alice@', '@example.com', 'a@b c', 'A <a@b>', '<a@b>', 'a@b,c@d', 'a@.', 'a\n@b', 'a@ü?x']],
  ['domain', ['', '.', '@hornbach.de', 'a b', '*.hornbach.de', 'hornbach.de/x', 'a,b', 'x:25', 'ü%.de', 'a\u0000b']],
  ['text', ['', 'a\nb', 'a\u0000', 'x'.repeat(1001)]],
  ['flag', ['true', 1, 0, 'yes']],
  ['age', ['30', 'd', '30 d', '-1d', '1.5d', '30D', '1month', '1234567d', 30, '٣d', '1d\n']],
  ['bytes', ['10000', -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 10n]],
  ['yes', [false, 'true', 1]],
])('%s refuses what is none and says what to write', (kind, raws) => {
  for (const raw of [...raws, undefined, null, [], {}, () => true]) {
    expect(readValue(kind, raw), String(raw)).toEqual({ ok: false, expected: expect.any(String) })
  }
})

test('whatever is given is read or refused, and what was read stays as it is', () => {
  const kinds: ValueKind[] = ['address', 'domain', 'text', 'flag', 'bytes', 'yes']
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.anything(), fc.string({ unit: 'binary' }), (kind, thing, text) => {
      for (const raw of [thing, text, `${text}@example.com`]) {
        const reading = readValue(kind, raw)
        if (reading.ok) expect(readValue(kind, reading.value)).toEqual(reading)
      }
    }),
    { numRuns: 5000 },
  )
})
