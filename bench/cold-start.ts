/** How long a host waits for a server it has just started, beside the least that Node itself takes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { least, median, ms, times } from './figures.ts'
import type { Section } from './report.ts'
import { bareNode, inTemporaryFolder, minimalServer, postern, ROOT } from './servers.ts'
import { type Program, StdioClient } from './stdio-client.ts'

const ROUNDS = 30

interface Start {
  readonly initialize: number
  readonly list: number
}

export async function coldStart(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const uncached = postern(home, undefined, copyWithoutCache(home))
    const bare: number[] = []
    const sides = { minimal: [] as Start[], postern: [] as Start[], uncached: [] as Start[] }
    for (let round = -2; round < ROUNDS; round += 1) {
      const node = await timeOfBareNode()
      const minimal = await timeOfServer(minimalServer)
      const ours = await timeOfServer(postern(home))
      const first = await timeOfServer(uncached)
      if (round < 0) continue // the disk's cache is warm from here on
      bare.push(node)
      sides.minimal.push(minimal)
      sides.postern.push(ours)
      sides.uncached.push(first)
    }
    return section(bare, sides)
  })
}

/** As it is right after installing: no cached data yet. A start that is ended at once leaves none. */
function copyWithoutCache(home: string): string {
  const root = join(home, 'installed')
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true, filter: (source) => !source.endsWith('.v8') })
  }
  return root
}

async function timeOfBareNode(): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, bareNode.args, { env: { ...bareNode.env }, stdio: 'ignore' })
  await once(child, 'exit')
  return performance.now() - began
}

async function timeOfServer(program: Program): Promise<Start> {
  const began = performance.now()
  const client = new StdioClient(program)
  try {
    await client.initialize()
    const initialize = performance.now() - began
    await client.request('tools/list', {})
    return { initialize, list: performance.now() - began }
  } finally {
    await client.stop()
  }
}

function section(
  bare: readonly number[],
  sides: Readonly<Record<'minimal' | 'postern' | 'uncached', Start[]>>,
): Section {
  const node = median(bare)
  const row = (name: string, starts: readonly Start[]): string[] => {
    const [first, list] = [starts.map(({ initialize }) => initialize), starts.map((start) => start.list)]
    return [name, ms(median(first)), ms(least(first)), times(median(first) / node), ms(median(list))]
  }
  const initialize = (starts: readonly Start[]): number => median(starts.map((start) => start.initialize))
  return {
    title: 'Cold start over stdio',
    note: `Medians of ${ROUNDS} interleaved starts, from spawning the process to its answer.`,
    head: ['', 'to initialize', 'least', '/ node -e 0', 'to tools/list'],
    rows: [
      ['node -e 0 (to its exit)', ms(node), ms(least(bare)), times(1), ''],
      row('minimal SDK server, unbundled', sides.minimal),
      row('Postern', sides.postern),
      row('Postern, first start after install', sides.uncached),
    ],
    goals: [
      { what: 'cold start / node -e 0', measured: initialize(sides.postern) / node, atMost: 3.5, write: times },
      {
        what: 'cold start / minimal SDK server',
        measured: initialize(sides.postern) / initialize(sides.minimal),
        atMost: 1,
        write: times,
      },
    ],
  }
}
