/**
 * What rules cost a mirror of half a million messages: counting a folder by level, and searching it, with twenty rules of
 * all kinds beside none.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { count, megabytes, ms, times } from './figures.ts'
import { ROWS, RULES } from './mirror-rows.ts'
import { type Ended, runToEnd } from './processes.ts'
import type { Goal, Section } from './report.ts'
import { inTemporaryFolder } from './servers.ts'

const LOOP = join(import.meta.dirname, 'mirror-policy-loop.ts')
const MOST_MS = 300
const MOST_TIMES = 1.5
const MOST_MEMORY = 300e6

interface Filled {
  /** What was resident before there was anything to do: loading from source takes more than the built program does. */
  readonly before: number
  readonly filled: number
  readonly indexed: number
}

type Mode = 'blacklist' | 'whitelist'

type Medians = Readonly<Record<Mode | 'none', number>>

interface Asked {
  readonly first: Readonly<Record<Mode, number>>
  readonly medians: Readonly<Record<string, Readonly<Record<When, Medians>>>>
}

/** Right after a message came, when counts are carried on; right after one was removed, when they begin anew; and asked again. */
const WHEN = ['arrived', 'removed', 'again'] as const
type When = (typeof WHEN)[number]

export async function mirrorPolicy(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const path = join(home, 'mirror.db')
    const filled = await run('fill', path)
    const asked = await run('ask', path)
    return section(filled, JSON.parse(filled.output), asked, JSON.parse(asked.output), statSync(path).size)
  })
}

function run(work: 'fill' | 'ask', path: string): Promise<Ended> {
  const rows = { POSTERN_BENCH_ROWS: String(ROWS) }
  const args = ['--disable-warning=ExperimentalWarning', LOOP, work, path]
  return runToEnd({ command: process.execPath, args, env: rows })
}

function section(fill: Ended, { filled, indexed, before }: Filled, ask: Ended, asked: Asked, bytes: number): Section {
  const { first, medians } = asked
  const rate = (took: number): string => `${count(ROWS / (took / 1000))} a second`
  return {
    title: `What ${RULES} rules cost over ${count(ROWS)} messages of a mirror`,
    note: `Medians of interleaved calls of the store, after rules were first asked for (blacklist ${ms(first.blacklist)}, whitelist ${ms(first.whitelist)}: what lasts of them is then kept), each a second later than the one before: right after a message has arrived, right after one was removed, and asked again while nobody writes. The worse of a blacklist and a whitelist. A search gives the 20 newest and counts all. The rows were stored ${rate(filled)} and indexed ${rate(indexed)}, ${megabytes(bytes)}; memory: filling ${megabytes(fill.peak)}, asking ${megabytes(ask.peak)}, of which ${megabytes(before)} before anything was done.`,
    head: ['', ...WHEN.flatMap((when) => [`${when}: no rules`, 'rules', 'ratio'])],
    rows: Object.entries(medians).map(([name, its]) => [name, ...WHEN.flatMap((when) => sides(its[when]))]),
    goals: [
      ...(['blacklist', 'whitelist'] as const).map((mode) => within(`the first answer, ${mode}`, first[mode])),
      ...Object.entries(medians).flatMap(([name, its]) => WHEN.flatMap((when) => goalsOf(name, when, its[when]))),
      ...[fill, ask].map(({ peak }, at) => memory(at === 0 ? 'filling' : 'asking', peak)),
    ],
  }
}

/** What a folder holds in all is known without counting: only searches are held to what they cost without rules. */
function goalsOf(name: string, when: When, medians: Medians): Goal[] {
  const measured = slower(medians) / medians.none
  const what = `${name}: with / without rules, ${when}`
  return [
    within(`${name}, with rules, ${when}`, slower(medians)),
    ...(name === 'folder_stats' ? [] : [{ what, measured, atMost: MOST_TIMES, write: times }]),
  ]
}

function sides(medians: Medians): string[] {
  return [ms(medians.none), ms(slower(medians)), times(slower(medians) / medians.none)]
}

function slower({ blacklist, whitelist }: Medians): number {
  return Math.max(blacklist, whitelist)
}

function within(what: string, measured: number): Goal {
  return { what, measured, atMost: MOST_MS, write: ms }
}

function memory(what: string, measured: number): Goal {
  return { what: `memory, ${what}`, measured, atMost: MOST_MEMORY, write: megabytes }
}
