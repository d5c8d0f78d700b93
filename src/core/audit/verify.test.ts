import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chain, GENESIS, type Place, placeAfter } from './chain.ts'
import { dayAfter } from './day.ts'
import { endOfDay, fileMissing, tailTorn } from './events.ts'
import { ChainVerifier, type Verification } from './verify.ts'

const sha256 = (bytes: Uint8Array | string): string => hash('sha256', bytes, 'hex')

interface LogFile {
  readonly day: string
  readonly lines: readonly string[]
}

/** Days one after the other with so many records each; all but the last are closed. */
function logOf(counts: readonly number[], gapAfter = -1): LogFile[] {
  let place: Place = GENESIS
  let day = '2026-02-27'
  return counts.map((count, index) => {
    const lines: string[] = []
    const add = (entry: Parameters<typeof chain>[0]): void => {
      const { line, next } = chain(entry, place, sha256)
      lines.push(line)
      place = 'final_hash' in entry ? placeAfter({ ...entry, ...place }, next.prev_hash) : next
    }
    for (let i = 0; i < count; i += 1)
      add({ ...tailTorn(`${day}T00:00:00.000Z`, i), tool: 'fetch_body', caller_id: 'ä' })
    if (index < counts.length - 1) add(endOfDay(`${day}T23:59:59.999Z`, place.prev_hash))
    const file = { day, lines }
    day = dayAfter(index === gapAfter ? dayAfter(day) : day)
    return file
  })
}

function verify(files: readonly LogFile[]): Verification {
  const verifier = new ChainVerifier(sha256)
  for (const { day, lines } of files) {
    verifier.startFile(`${day}.jsonl`, day)
    for (const line of splitLines(Buffer.concat(lines.map((text) => Buffer.from(text, 'latin1'))))) verifier.line(line)
  }
  return verifier.finish()
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start)
    const next = end === -1 ? bytes.length : end + 1
    lines.push(bytes.subarray(start, next))
    start = next
  }
  return lines
}

/** Lines are kept as one character a byte, so that any byte can be changed. */
const asBytes = (files: LogFile[]): LogFile[] =>
  files.map(({ day, lines }) => ({ day, lines: lines.map((line) => Buffer.from(line).toString('latin1')) }))

function edit(files: readonly LogFile[], at: number, change: (lines: string[]) => void): LogFile[] {
  return files.map((file, index) => {
    if (index !== at) return file
    const lines = [...file.lines]
    change(lines)
    return { ...file, lines }
  })
}

const days = asBytes(logOf([3, 4, 3]))

test('a whole chain is intact', () => {
  expect(verify(days)).toEqual({
    kind: 'intact',
    records: 12,
    files: 3,
    firstDay: '2026-02-27',
    lastDay: '2026-03-01',
    fromTheBeginning: true,
    tornTails: 0,
    missingFiles: 0,
    deletedFiles: 0,
    attestation: { trusted: 0, unknown: 0, bareFiles: 2, unproved: 12 },
  })
})

test('nothing at all is intact and empty', () => {
  expect(verify([])).toMatchObject({ kind: 'intact', records: 0, files: 0, firstDay: undefined })
})

test('an empty newest file is where the next record will go', () => {
  expect(verify([...days.slice(0, 1), { day: '2026-02-28', lines: [] }])).toMatchObject({ kind: 'intact', records: 4 })
})

test('without its oldest files a chain is intact, but not from the beginning', () => {
  expect(verify(days.slice(1))).toMatchObject({ kind: 'intact', records: 8, fromTheBeginning: false })
})

test('days on which nothing happened are no gap', () => {
  expect(verify(asBytes(logOf([1, 1, 1], 0)))).toMatchObject({ kind: 'intact', records: 5 })
})

test('the records that tell of torn tails and missing files are counted', () => {
  const torn = chain(tailTorn('t', 3), GENESIS, sha256)
  const lines = [torn.line, chain(fileMissing('t', '2026-01-01'), torn.next, sha256).line]
  expect(verify([{ day: '2026-01-02', lines }])).toMatchObject({ kind: 'intact', tornTails: 1, missingFiles: 1 })
})

describe('what is found', () => {
  test.each<[string, LogFile[], string, number, string]>([
    ['a record taken out', edit(days, 1, (l) => l.splice(1, 1)), '2026-02-28', 2, 'wrong_seq'],
    ['a record put in twice', edit(days, 1, (l) => l.splice(1, 0, l[0] ?? '')), '2026-02-28', 2, 'wrong_seq'],
    ['two records swapped', edit(days, 0, (l) => l.splice(0, 2, l[1] ?? '', l[0] ?? '')), '2026-02-27', 1, 'wrong_seq'],
    ['the end of a closed day cut off', edit(days, 1, (l) => l.splice(3)), '2026-02-28', 4, 'no_eof_day'],
    ['all of a closed day cut off', edit(days, 1, (l) => l.splice(0)), '2026-02-28', 1, 'no_eof_day'],
    ['a record after the end of the day', edit(days, 0, (l) => l.push(l[0] ?? '')), '2026-02-27', 5, 'after_eof_day'],
    ['a file taken out', days.filter((_, index) => index !== 1), '2026-03-01', 1, 'missing_file'],
    ['an empty line', edit(days, 1, (l) => l.splice(1, 0, '\n')), '2026-02-28', 2, 'bad_json'],
    ['a line that is no record', edit(days, 1, (l) => l.splice(1, 0, '{}\n')), '2026-02-28', 2, 'not_a_record'],
    ['a space', edit(days, 1, (l) => l.splice(1, 1, `${l[1]}`.replace(',', ', '))), '2026-02-28', 2, 'not_canonical'],
    [
      'an end without newline',
      edit(days, 2, (l) => l.splice(2, 1, `${l[2]}`.trimEnd())),
      '2026-03-01',
      3,
      'missing_newline',
    ],
    ['days in the wrong order', [...days].reverse(), '2026-02-28', 1, 'wrong_day_order'],
    ['a day twice', [...days.slice(0, 1), ...days.slice(0, 1)], '2026-02-27', 1, 'wrong_day_order'],
  ])('%s', (_name, files, day, line, problem) => {
    expect(verify(files)).toMatchObject({ kind: 'broken', file: `${day}.jsonl`, line, problem })
  })

  test('a day rewritten as a whole, chain and all, by the next day', () => {
    const [first, second, third] = days
    const forged = asBytes(logOf([2, 4, 3]))[0]
    if (!first || !second || !third || !forged) throw new Error('three days')
    expect(verify([forged, second, third])).toMatchObject({
      file: '2026-02-28.jsonl',
      line: 1,
      problem: 'wrong_prev_hash',
    })
  })
})

test('a change of any one byte is found, and the record it is in is named', () => {
  const places = days.flatMap(({ lines }, file) =>
    lines.flatMap((line, at) => Array.from({ length: line.length }, (_, byte) => ({ file, at, byte }))),
  )
  // Nothing vouches for the newest record, so a change of it is found only where it breaks its form.
  const vouched = places.filter(({ file, at }) => file < 2 || at < 2)
  fc.assert(
    fc.property(fc.constantFrom(...vouched), fc.integer({ min: 1, max: 255 }), ({ file, at, byte }, flip) => {
      const tampered = edit(days, file, (lines) => {
        const line = Buffer.from(lines[at] ?? '', 'latin1')
        line[byte] = (line[byte] ?? 0) ^ flip
        lines[at] = line.toString('latin1')
      })
      expect(verify(tampered)).toMatchObject({ kind: 'broken', file: `${days[file]?.day}.jsonl`, line: at + 1 })
    }),
    { numRuns: 3000 },
  )
})

test('a cut at the end of the newest file cannot be found', () => {
  expect(verify(edit(days, 2, (lines) => lines.splice(1)))).toMatchObject({ kind: 'intact', records: 10 })
})

test("the newest record's own place is checked", () => {
  const wrong = edit(days, 2, (lines) => {
    lines[2] = `${lines[2]}`.replace(
      /"prev_hash":"sha256:(.)/,
      (_, digit) => `"prev_hash":"sha256:${digit === '0' ? 1 : 0}`,
    )
  })
  expect(verify(wrong)).toMatchObject({ file: '2026-03-01.jsonl', line: 3, seq: 2, problem: 'wrong_prev_hash' })
})
