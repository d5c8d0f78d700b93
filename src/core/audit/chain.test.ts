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

test('whatever the order of keys, at any depth, the text is the same', () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, field]) => [key, turned(field)]),
    )
  }
  fc.assert(
    fc.property(fc.object({ withNullPrototype: false }), (value) => {
      expect(canonicalJson(turned(value))).toBe(canonicalJson(value))
    }),
  )
})

test('a line holds every field that a record may have, sorted', () => {
  const hashed = `sha256:${'1'.repeat(64)}`
  const whole = {
    ...entry,
    args_summary: { uid: 7, account: 'work', tags: ['a'], mode: 'add', folder: 'INBOX' },
    intent_seq: 3,
    left_out: 4,
    day: '2026-05-05',
    final_hash: hashed,
  }
  const place = { seq: 9, prev_hash: hashed, prev_eof_hash: hashed }
  expect(chain(whole, place, sha256).line).toBe(`${canonicalJson({ ...place, ...whole })}\n`)
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
