/**
 * What property tests are fed.
 *
 * INVARIANT: the same cases in every run, so a test that fails fails for what was changed. `POSTERN_SEED=random` draws new ones,
 * `POSTERN_SEED=<number>` draws those of that number again.
 */
import fc from 'fast-check'

const ASKED = process.env['POSTERN_SEED'] ?? '1776'

if (ASKED !== 'random') {
  if (!/^-?\d+$/.test(ASKED)) throw new Error('POSTERN_SEED is neither a number nor "random"')
  fc.configureGlobal({ seed: Number(ASKED) })
}
