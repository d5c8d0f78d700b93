/** How many decisions a second a policy of twenty rules makes, beside Cedar with its policies parsed beforehand. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { count, median, times } from './figures.ts'
import type { Section } from './report.ts'

const LOOP = join(import.meta.dirname, 'decisions-loop.ts')

export async function decisions(): Promise<Section> {
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    ['--no-turbo-inline-js-wasm-calls', '--disable-warning=ExperimentalWarning', LOOP],
    { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } },
  )
  if (status !== 0) throw new Error(`the loop ended with ${status}: ${stderr.slice(-500)}`)
  const rates: { ours: number[]; cedar: number[] } = JSON.parse(stdout)
  const [ours, cedar] = [median(rates.ours), median(rates.cedar)]
  return {
    title: 'Policy decisions, 20 rules',
    note: 'Medians of interleaved rounds on the same 200 messages; both sides give the same answers. Facts are at hand.',
    head: ['', 'decisions a second', 'one decision'],
    rows: [
      ['Cedar (wasm, pre-parsed)', count(cedar), `${(1e6 / cedar).toFixed(1)} µs`],
      ['Postern', count(ours), `${(1e6 / ours).toFixed(2)} µs`],
    ],
    goals: [{ what: 'a decision / Cedar’s', measured: cedar / ours, atMost: 1, write: times }],
  }
}
