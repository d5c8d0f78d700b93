/** What a server holds on to while nobody asks anything of it. */
import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { megabytes } from './figures.ts'
import type { Section } from './report.ts'
import { inTemporaryFolder, minimalServer, postern } from './servers.ts'
import { StdioClient } from './stdio-client.ts'

const SETTLED_MS = 1500
const CALLS = 2000

/** Resident bytes of a process, as the system counts them. */
export function residentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}

export async function memory(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const minimal = new StdioClient(minimalServer)
    const ours = new StdioClient(postern(home))
    try {
      const idle = [await settled(minimal), await settled(ours)]
      for (let call = 0; call < CALLS; call += 1)
        await Promise.all([minimal.call('noop'), ours.call('imap_list_accounts')])
      await pause(SETTLED_MS)
      const after = [minimal, ours].map(({ pid }) => residentBytes(pid))
      return {
        title: 'Resident memory',
        note: 'After tools/list and a pause, and after calls that touch no mail.',
        head: ['', 'idle', `after ${CALLS} calls`],
        rows: ['minimal SDK server', 'Postern'].map((name, at) => [
          name,
          megabytes(idle[at] ?? Number.NaN),
          megabytes(after[at] ?? Number.NaN),
        ]),
        goals: [],
      }
    } finally {
      await Promise.all([minimal.stop(), ours.stop()])
    }
  })
}

async function settled(client: StdioClient): Promise<number> {
  await client.initialize()
  await client.request('tools/list', {})
  await pause(SETTLED_MS)
  return residentBytes(client.pid)
}
