/**
 * What a call costs before it does anything: the SDK's own share beside Postern's, which passes the gate and is on the
 * audit log, synced to disk, before it is answered.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { count, median, times } from './figures.ts'
import type { Section } from './report.ts'
import { inTemporaryFolder, minimalServer, postern } from './servers.ts'
import { StdioClient } from './stdio-client.ts'

const ROUNDS = 15
const CALLS = { 1: 600, 16: 3200 } as const
type InFlight = keyof typeof CALLS

interface Rates {
  readonly minimal: number[]
  readonly postern: number[]
}

export async function callRate(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const minimal = new StdioClient(minimalServer)
    const ours = new StdioClient(postern(home))
    try {
      await Promise.all([minimal.initialize(), ours.initialize()])
      const rates: Record<InFlight, Rates> = {
        1: { minimal: [], postern: [] },
        16: { minimal: [], postern: [] },
      }
      const syncs: number[] = []
      for (let round = -3; round < ROUNDS; round += 1) {
        for (const inFlight of [1, 16] as const) {
          const measured = {
            minimal: await rate(minimal, 'noop', inFlight),
            postern: await rate(ours, 'imap_list_accounts', inFlight),
          }
          if (round < 0) continue // V8 is still warming up
          rates[inFlight].minimal.push(measured.minimal)
          rates[inFlight].postern.push(measured.postern)
        }
        syncs.push(syncRate(join(home, 'sync')))
      }
      return section(rates, median(syncs))
    } finally {
      await Promise.all([minimal.stop(), ours.stop()])
    }
  })
}

/** Calls per second. */
async function rate(client: StdioClient, tool: string, inFlight: InFlight): Promise<number> {
  const calls = CALLS[inFlight]
  let left = calls
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await client.call(tool)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: inFlight }, caller))
  return calls / ((performance.now() - began) / 1000)
}

/** What this disk allows: appended and synced lines per second, one at a time. */
function syncRate(path: string): number {
  const file = openSync(path, 'a')
  const line = `${'x'.repeat(499)}\n`
  const lines = 200
  const began = performance.now()
  for (let written = 0; written < lines; written += 1) {
    writeSync(file, line)
    fdatasyncSync(file)
  }
  const rate = lines / ((performance.now() - began) / 1000)
  closeSync(file)
  return rate
}

function section(rates: Readonly<Record<InFlight, Rates>>, syncs: number): Section {
  const overhead = ({ minimal, postern: ours }: Rates): number => median(minimal) / median(ours)
  const row = (inFlight: InFlight): string[] => {
    const { minimal, postern: ours } = rates[inFlight]
    return [`${inFlight} in flight`, count(median(minimal)), count(median(ours)), times(overhead(rates[inFlight]))]
  }
  const goal = (inFlight: InFlight) => ({
    what: `a call's cost / the minimal server's, ${inFlight} in flight`,
    measured: overhead(rates[inFlight]),
    atMost: 2,
    write: times,
  })
  return {
    title: 'Calls per second over stdio',
    note: `Medians of ${ROUNDS} interleaved rounds: a no-op tool of the minimal server, imap_list_accounts of Postern (decided, audited, synced). This disk syncs ${count(syncs)} appended lines a second, one at a time.`,
    head: ['', 'minimal SDK server', 'Postern', 'cost / minimal'],
    rows: [row(1), row(16)],
    goals: [goal(1), goal(16)],
  }
}
