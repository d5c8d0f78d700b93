import { describe, expect, test } from 'vitest'
import type { Criteria } from '../../../core/criteria.ts'
import { Failure } from '../../../core/failure.ts'
import type { Piece } from '../wire/command.ts'
import { encode } from '../wire/encode.ts'
import { edgeKeys, isWithin, searchCommand, searchKeys, sortCommand } from './search.ts'

function wire(pieces: readonly Piece[]): string {
  return encode('t', pieces, 'plus')
    .map(({ parts }) => Buffer.concat(parts).toString('utf8'))
    .join('')
    .slice(2, -2)
}

describe('criteria become keys', () => {
  test.each<[string, Criteria, number | undefined, string]>([
    ['nothing', {}, undefined, 'UID SEARCH ALL'],
    ['a word', { text: 'a b' }, undefined, 'UID SEARCH TEXT "a b"'],
    ['fields', { from: 'x', to: 'y', subject: 'z' }, undefined, 'UID SEARCH FROM "x" TO "y" SUBJECT "z"'],
    ['unread', { unread: true }, 9, 'UID SEARCH UID 1:8 UNSEEN'],
    ['flagged', { flagged: true }, undefined, 'UID SEARCH FLAGGED'],
    ['not flagged', { flagged: false }, undefined, 'UID SEARCH UNFLAGGED'],
    ['sizes', { larger: 10, smaller: 20 }, undefined, 'UID SEARCH LARGER 10 SMALLER 20'],
    ['parts of bytes', { larger: 10.5, smaller: 19.5 }, undefined, 'UID SEARCH LARGER 10 SMALLER 20'],
    ['sizes below nothing', { larger: -1, smaller: -5 }, undefined, 'UID SEARCH SMALLER 0'],
    ['huge sizes', { larger: 1e12 }, undefined, 'UID SEARCH LARGER 4294967295'],
    [
      'days, a day wider',
      { since: '2024-01-01', until: '2024-01-31' },
      undefined,
      'UID SEARCH SINCE 31-Dec-2023 BEFORE 2-Feb-2024',
    ],
    ['other letters', { subject: 'ü' }, undefined, 'UID SEARCH CHARSET UTF-8 SUBJECT {2+}\r\nü'],
  ])('%s', (_what, criteria, below, expected) => {
    expect(wire(searchCommand(searchKeys(criteria, below)))).toBe(expected)
  })

  test('sorted', () => {
    expect(wire(sortCommand(searchKeys({}, undefined)))).toBe('UID SORT (ARRIVAL) US-ASCII ALL')
    expect(wire(sortCommand(searchKeys({ text: 'é' }, undefined)))).toBe('UID SORT (ARRIVAL) UTF-8 TEXT {2+}\r\né')
  })

  test('half a character is refused', () => {
    expect(() => searchKeys({ text: '\ud83d' }, undefined)).toThrow(Failure)
  })
})

describe('days in doubt', () => {
  test.each<[string, Criteria, string]>([
    ['at the beginning', { since: '2024-01-10' }, 'UID SEARCH SINCE 9-Jan-2024 BEFORE 11-Jan-2024'],
    ['at the end', { until: '2024-01-20', unread: true }, 'UID SEARCH UNSEEN SINCE 20-Jan-2024 BEFORE 22-Jan-2024'],
    [
      'at both',
      { since: '2024-01-10', until: '2024-01-20' },
      'UID SEARCH OR (SINCE 9-Jan-2024 BEFORE 11-Jan-2024) (SINCE 20-Jan-2024 BEFORE 22-Jan-2024)',
    ],
  ])('%s', (_where, criteria, expected) => {
    const keys = edgeKeys(criteria, undefined)
    expect(keys && wire(searchCommand(keys))).toBe(expected)
  })

  test('are none where no days are given', () => {
    expect(edgeKeys({ text: 'x' }, 5)).toBeUndefined()
  })

  test.each([
    ['2024-01-09T23:59:59Z', false],
    ['2024-01-10T00:00:00Z', true],
    ['2024-01-20T23:59:59Z', true],
    ['2024-01-21T00:00:00Z', false],
  ])('%s is decided in UTC', (moment, expected) => {
    const days = { since: '2024-01-10', until: '2024-01-20' }
    expect(isWithin(days, Date.parse(moment) / 1000)).toBe(expected)
  })
})
