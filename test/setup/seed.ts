/**
 * What property tests are given, and how many cases of it.
 *
 * INVARIANT: the same cases in every run, so a test that fails fails for what was changed. `POSTERN_SEED=random` draws new ones,
 * `POSTERN_SEED=<number>` draws those of that number again. `POSTERN_EFFORT=10` draws ten times as many, `0.1` a tenth.
 */
import fc from 'fast-check'
import { vi } from 'vitest'

const SEED = process.env['POSTERN_SEED'] ?? '1776'
const EFFORT = Number(process.env['POSTERN_EFFORT'] ?? 1)

if (SEED !== 'random') {
  if (!/^-?\d+$/.test(SEED)) throw new Error('POSTERN_SEED is neither a number nor "random"')
  fc.configureGlobal({ seed: Number(SEED) })
}

if (!(EFFORT > 0)) throw new Error('POSTERN_EFFORT is not a number above 0')

if (EFFORT !== 1) {
  vi.doMock('fast-check', async (importOriginal) => {
    const original = await importOriginal<typeof import('fast-check')>()
    const assert = (property: never, parameters?: { readonly numRuns?: number }): unknown =>
      original.assert(property, { ...parameters, numRuns: scaled(parameters?.numRuns) })
    return { ...original, assert, default: { ...original.default, assert } }
  })
}

/** fast-check draws 100 cases unless it is told otherwise. */
function scaled(numRuns = 100): number {
  return Math.max(1, Math.round(numRuns * EFFORT))
}
