import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, chain, GENESIS, type Place, placeAfter } from './chain.ts'
import { endOfDay, tailTorn } from './events.ts'

const sha256 = (bytes: Uint8Array | string): string => hash('sha256', bytes, 'hex')
const entry = tailTorn('2026-05-06T07:08:09.010Z', 12)

test('keys are sorted at every depth and nothing stands between them', () => {
  expect(canonicalJson({ b: [{ z: 1, a: 'é"' }], a: { d: null, c: undefined } })).toBe(
    '{"a":{"d":null},"b":[{"a":"é\\"","z":1}]}',
  )
})

test('canonical text means the same as what it was made from', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(JSON.parse(text))).toBe(text)
    }),
  )
})

test('the first record ever follows sixty-four zeros', () => {
  const { line } = chain(entry, GENESIS, sha256)
  expect(JSON.parse(line)).toMatchObject({ seq: 0, prev_hash: `sha256:${'0'.repeat(64)}` })
  expect(JSON.parse(line)).not.toHaveProperty('prev_eof_hash')
  expect(Object.keys(JSON.parse(line))).toEqual(Object.keys(JSON.parse(line)).sort())
})

test('a record follows the exact bytes of the line before it, newline included', () => {
  const first = chain(entry, GENESIS, sha256)
  expect(first.line.endsWith('}\n')).toBe(true)
  expect(first.next).toEqual({ seq: 1, prev_hash: `sha256:${sha256(first.line)}` })
})

test("the day after follows the day's last record and names its eof_day", () => {
  const last = chain(entry, GENESIS, sha256)
  const eof = endOfDay('2026-05-07T00:00:00.000Z', last.next.prev_hash)
  const end = chain(eof, last.next, sha256)
  const next: Place = placeAfter({ ...eof, ...last.next }, end.next.prev_hash)
  expect(next).toEqual({
    seq: 0,
    prev_hash: `sha256:${sha256(last.line)}`,
    prev_eof_hash: `sha256:${sha256(end.line)}`,
  })
})
