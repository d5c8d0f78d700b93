/**
 * What a call costs before it does anything: the SDK's own share beside Postern's, which passes the gate and is on the
 * audit log, synced to disk, before it is answered. What of that is the disk's share is told by a minimal server that
 * syncs a line before each answer and, where there is a disk in memory, by Postern with its log on that.
 */
import { closeSync, existsSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { count, median, times } from './figures.ts'
import type { Goal, Section } from './report.ts'
import { inTemporaryFolder, minimalServer, postern, recordingServer } from './servers.ts'
import { StdioClient } from './stdio-client.ts'

const ROUNDS = 20
const ROUND_MS = 150
const IN_FLIGHT = [1, 16] as const
const MEMORY_DISK = '/dev/shm'

type InFlight = (typeof IN_FLIGHT)[number]

interface Side {
  readonly name: string
  readonly client: StdioClient
  readonly tool: string
  readonly rates: Readonly<Record<InFlight, number[]>>
}

export async function callRate(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    if (!existsSync(MEMORY_DISK)) return measure(home, [])
    return inTemporaryFolder(
      (inMemory) => measure(home, [posternSide('Postern, log in memory', inMemory)]),
      MEMORY_DISK,
    )
  })
}

async function measure(home: string, more: readonly Side[]): Promise<Section> {
  const minimal = makeSide('minimal SDK server', new StdioClient(minimalServer), 'noop')
  const recording = makeSide(
    'recording: minimal, one synced line a call',
    new StdioClient(recordingServer(home)),
    'noop',
  )
  const sides = [minimal, recording, posternSide('Postern', home), ...more]
  const syncs: number[] = []
  try {
    await Promise.all(sides.map(({ client }) => client.initialize()))
    for (let round = -3; round < ROUNDS; round += 1) {
      for (const inFlight of IN_FLIGHT) {
        for (const side of sides) {
          const measured = await rate(side, inFlight)
          // V8 is still warming up before round 0.
          if (round >= 0) side.rates[inFlight].push(measured)
        }
      }
      syncs.push(syncRate(join(home, 'sync')))
    }
    return section(sides, median(syncs))
  } finally {
    await Promise.all(sides.map(({ client }) => client.stop()))
  }
}

function posternSide(name: string, home: string): Side {
  return makeSide(name, new StdioClient(postern(home)), 'imap_list_accounts')
}

function makeSide(name: string, client: StdioClient, tool: string): Side {
  return { name, client, tool, rates: { 1: [], 16: [] } }
}

/** Calls per second. */
async function rate({ client, tool }: Side, inFlight: InFlight): Promise<number> {
  const began = performance.now()
  let calls = 0
  const caller = async (): Promise<void> => {
    while (performance.now() - began < ROUND_MS) {
      await client.call(tool)
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  return calls / ((performance.now() - began) / 1000)
}

/** What this disk allows: appended and synced lines per second, one at a time. */
function syncRate(path: string): number {
  const file = openSync(path, 'a')
  const line = `${'x'.repeat(499)}\n`
  const began = performance.now()
  let lines = 0
  for (; performance.now() - began < ROUND_MS / 3; lines += 1) {
    writeSync(file, line)
    fdatasyncSync(file)
  }
  const rate = lines / ((performance.now() - began) / 1000)
  closeSync(file)
  return rate
}

function section(sides: readonly Side[], syncs: number): Section {
  const [minimal, recording, ours] = sides
  const perSecond = (side: Side | undefined, inFlight: InFlight): number => median(side?.rates[inFlight] ?? [])
  const cost = (side: Side | undefined, beside: Side | undefined, inFlight: InFlight): number =>
    perSecond(beside, inFlight) / perSecond(side, inFlight)
  const figures = (side: Side, inFlight: InFlight): string[] => [
    count(perSecond(side, inFlight)),
    times(cost(side, minimal, inFlight)),
    times(cost(side, recording, inFlight)),
  ]
  const goal = (inFlight: InFlight): Goal => ({
    what: `a call's cost / the minimal server's, ${inFlight} in flight`,
    measured: cost(ours, minimal, inFlight),
    atMost: 2,
    write: times,
  })
  return {
    title: 'Calls per second over stdio',
    note: `Medians of ${ROUNDS} interleaved rounds: a no-op tool of the minimal servers, imap_list_accounts of Postern (decided, audited, synced). In the same rounds this disk synced ${count(syncs)} appended lines a second, one at a time.`,
    head: ['', ...IN_FLIGHT.flatMap((inFlight) => [`${inFlight} in flight`, 'cost / minimal', 'cost / recording'])],
    rows: sides.map((side) => [side.name, ...IN_FLIGHT.flatMap((inFlight) => figures(side, inFlight))]),
    goals: IN_FLIGHT.map(goal),
  }
}
