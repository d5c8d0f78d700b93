/**
 * `npm run assurance`: the long runs that have no place in `npm test`. It takes hours.
 *
 *     npm run assurance -- --only properties,kills     # some of them
 *     npm run assurance -- --seed 7 --effort 100       # the cases of that seed, a hundred times as many
 *
 * INVARIANT: the exit code is 1 if a single run failed or could not be made. Each run ends before the next begins.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { reachedFrom, testFiles } from '../setup/programs.ts'

interface Run {
  readonly name: string
  readonly shows: string
  /** What follows `node` on its command line. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A folder that has to be there. */
  readonly needs?: string
}

const ROOT = join(import.meta.dirname, '../..')
const CORPUS = '../shared/corpus'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    effort: { type: 'string', default: '10' },
  },
})
const RUNS = runsOf(values.seed, values.effort)
const chosen = values.only?.split(',') ?? RUNS.map(({ name }) => name)
const unknown = chosen.find((name) => !RUNS.some((run) => run.name === name))
if (unknown !== undefined) {
  throw new Error(`--only: there is no run "${unknown}". There are: ${RUNS.map(({ name }) => name).join(', ')}`)
}
const failed = RUNS.filter(({ name }) => chosen.includes(name)).filter((run) => !passes(run))
print(failed.length === 0 ? 'All runs passed.' : `Failed: ${failed.map(({ name }) => name).join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

function runsOf(seed: string, effort: string): readonly Run[] {
  const properties = testFiles().filter((file) => reachedFrom(file).has('fast-check'))
  return [
    {
      name: 'properties',
      shows: `property tests with ${effort} times the cases, drawn by seed ${seed}`,
      command: vitest(...properties),
      env: { POSTERN_SEED: seed, POSTERN_EFFORT: effort },
    },
    {
      name: 'mirror',
      shows: 'mirror and server give the same answers, while another client works in the mailbox',
      command: vitest('test/mirror/same-answers.test.ts', 'test/mirror/other-client.test.ts'),
      env: { POSTERN_SEED: seed, POSTERN_RUNS: '250', POSTERN_OPERATIONS: '2000' },
    },
    {
      name: 'kills',
      shows: 'transfers killed at every step and at 1,000 random moments',
      command: ['test/crash/run.ts', '--seed', seed],
    },
    {
      name: 'content',
      shows: `20,000 generated documents of seed ${seed}, with Chromium to say what a person sees`,
      command: vitest('test/content/generated.test.ts'),
      env: { POSTERN_SEED: seed, POSTERN_DOCUMENTS: '20000' },
    },
    {
      name: 'hijack',
      shows: 'an agent that obeys every hostile message of the corpus, over SMTP and Gmail',
      command: vitest('test/hijack'),
      env: { POSTERN_HIJACK: 'every' },
      needs: CORPUS,
    },
    {
      name: 'corpus',
      shows: 'every message of the corpus, live and from the index',
      command: vitest('test/corpus'),
      needs: CORPUS,
    },
  ]
}

function vitest(...files: string[]): readonly string[] {
  return ['node_modules/vitest/vitest.mjs', 'run', ...files]
}

function passes({ name, shows, command, env, needs }: Run): boolean {
  print(`${name}: ${shows}`)
  if (needs !== undefined && !existsSync(join(ROOT, needs))) {
    print(`${name}: failed: ${needs} is missing`)
    return false
  }
  const { status } = spawnSync(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  print(`${name}: ${status === 0 ? 'passed' : 'failed'}`)
  return status === 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
