import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../../core/failure.ts'
import { uidSets } from '../sequence-set.ts'
import { readResponse } from '../wire/response.ts'
import { uidsListed } from './uids-within.ts'

const ALL = { from: 1, to: 0xffff_ffff }

function listed(line: string, within = ALL): readonly number[] {
  const response = readResponse({ segments: [line], literals: [] })
  return response.kind === 'data' || response.kind === 'numbers' ? uidsListed([response], within) : []
}

test.each([
  ['* SEARCH', []],
  ['* SEARCH 2 7 3 7', [7, 3, 2]],
  ['* ESEARCH (TAG "p6") UID', []],
  ['* ESEARCH (TAG "p6") UID ALL 5', [5]],
  ['* ESEARCH (TAG "p6") UID ALL 2:4,9', [9, 4, 3, 2]],
  ['* ESEARCH (TAG "p6") UID COUNT 4 ALL 9,4:2,3', [9, 4, 3, 2]],
  ['* ESEARCH (TAG "ALL") UID COUNT 0', []],
  ['* VANISHED (ALL) 1:3', []],
])('%s names %j', (line, uids) => {
  expect(listed(line)).toEqual(uids)
})

test('only those within count', () => {
  const within = { from: 3, to: 6 }
  expect(listed('* SEARCH 1 2 3 6 7', within)).toEqual([6, 3])
  expect(listed('* ESEARCH (TAG "p6") UID ALL 1:3,6:4294967295', within)).toEqual([6, 3])
  expect(listed('* ESEARCH (TAG "p6") UID ALL 1:9000000', { from: 8_999_999, to: 9_000_000 })).toEqual([9e6, 8_999_999])
})

test('whatever there is, ranges name it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (uids) => {
      expect(listed(`* ESEARCH (TAG "p6") UID ALL ${uidSets(uids).join(',')}`)).toEqual(uids.toSorted((a, b) => b - a))
    }),
  )
})

test.each(['1:4294967295', '1:3000000,5000000:8000000', '0', '1:*', 'x'])('%s is refused', (set) => {
  expect(() => listed(`* ESEARCH (TAG "p6") UID ALL ${set}`)).toThrow(Failure)
})
