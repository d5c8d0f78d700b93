import { expect, test } from 'vitest'
import type { Coverage } from '../../core/mirror/state.ts'
import { shownCoverage } from './coverage.ts'
import { coverageData, coverageLine } from './inbox/texts.ts'

const COVERAGE: Coverage = { source: 'mirror', complete: false, notes: [], partial: 3 }
const SAID = '3 messages have more text than is searched (1 MiB of visible text each); words further down are not found'

test('messages that are only partly searched are counted in every form of a coverage', () => {
  expect(coverageLine(COVERAGE)).toBe(`Coverage: ${SAID}`)
  expect(coverageData(COVERAGE)).toEqual({ source: 'mirror', complete: false, notes: [SAID] })
  expect(shownCoverage(COVERAGE)).toEqual({ source: 'mirror', complete: false, notes: [SAID] })
  expect(coverageLine({ ...COVERAGE, partial: 1 })).toMatch(/^Coverage: 1 message has more text/)
})
