import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS, dayOf } from './day.ts'
import { tailTorn } from './events.ts'
import { mayHold, type Selection, selects } from './selection.ts'

const NOON = Date.parse('2026-05-06T12:00:00.000Z')
const record = { ...tailTorn('2026-05-06T12:00:00.000Z', 1), caller_id: 'ann', decision: 'DENY', reason: 'r' } as const

test.each<[Selection, boolean]>([
  [{}, true],
  [{ caller: 'ann' }, true],
  [{ caller: 'bob' }, false],
  [{ tool: 'audit_tail_torn', decision: 'DENY', reason: 'r' }, true],
  [{ tool: 'other' }, false],
  [{ decision: 'ALLOW' }, false],
  [{ reason: 's' }, false],
  [{ since: NOON }, true],
  [{ since: NOON + 1 }, false],
  [{ until: NOON + 1 }, true],
  [{ until: NOON }, false],
])('%o', (selection, selected) => {
  expect(selects(selection, record)).toBe(selected)
})

test('no file is passed over that holds what is selected', () => {
  const moment = fc.integer({ min: NOON - 9 * DAY_MS, max: NOON + 9 * DAY_MS })
  fc.assert(
    fc.property(moment, moment, moment, fc.nat(DAY_MS), (time, since, until, late) => {
      const ts = new Date(time + late).toISOString()
      if (selects({ since, until }, { ...record, ts })) expect(mayHold({ since, until }, dayOf(time))).toBe(true)
    }),
  )
})
