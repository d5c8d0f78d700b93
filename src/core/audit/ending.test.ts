import { expect, test } from 'vitest'
import type { RelocationEnding } from '../many.ts'
import type { Relocation } from '../results.ts'
import { endingOf, refusedOf } from './ending.ts'

const done: Relocation = {
  mechanism: 'saga',
  txId: 'a',
  changed: true,
  attempted: 3,
  succeeded: 3,
  created: undefined,
  issues: [],
}
const failed = (code: string, changed = false): Relocation => {
  const { txId: _none, ...rest } = done
  return { ...rest, changed, issues: [{ code, stage: 'fetch', message: 'm', retryable: false }] }
}
const denied = { uid: 9, denied: 'visibility_would_rise' } as const

test.each<[string, readonly RelocationEnding[], object]>([
  ['all done', [{ uid: 1, relocation: done }], { result: 'OK', error_type: null, tx_id: 'a' }],
  [
    'several done have several transfers',
    [
      { uid: 1, relocation: done },
      { uid: 2, relocation: { ...done, txId: 'b' } },
    ],
    { result: 'OK', error_type: null, tx_id: null },
  ],
  [
    'some failed',
    [
      { uid: 1, relocation: done },
      { uid: 2, relocation: failed('not_found') },
      { uid: 3, relocation: failed('rejected') },
    ],
    { result: 'PARTIAL', error_type: 'not_found', tx_id: 'a' },
  ],
  [
    'nothing worked',
    [
      { uid: 1, relocation: failed('unavailable') },
      { uid: 2, relocation: failed('not_found') },
    ],
    { result: 'ERROR', error_type: 'unavailable', tx_id: null },
  ],
  [
    'a copy that arrived with its original left',
    [{ uid: 1, relocation: failed('unavailable', true) }],
    { result: 'PARTIAL', error_type: 'unavailable', tx_id: null },
  ],
  ['some refused', [denied, { uid: 1, relocation: done }], { result: 'PARTIAL', error_type: null, tx_id: 'a' }],
])('of several: %s', (_name, endings, ending) => {
  expect(endingOf({ endings })).toEqual(ending)
})

test('those refused are told apart', () => {
  expect(refusedOf({ endings: [denied, { uid: 1, relocation: done }] })).toEqual({ refused: [denied], others: 1 })
  expect(refusedOf({ issues: [] })).toEqual({ refused: [], others: 0 })
})
