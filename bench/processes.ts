/** Programs that are run to their end, with what they took. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const LOOK_EVERY_MS = 25

export interface Order {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface Ended {
  readonly took: number
  /** The most memory that was resident at once, as the system counts it. NaN where it does not tell. */
  readonly peak: number
  readonly output: string
}

/** Rejects where the program says that it failed. */
export async function runToEnd({ command, args, env, cwd }: Order): Promise<Ended> {
  const began = performance.now()
  const path = { PATH: process.env['PATH'] ?? '' }
  const child = spawn(command, args, { env: { ...path, ...env }, stdio: ['ignore', 'pipe', 'pipe'], cwd })
  const takeAlong = (): void => void child.kill()
  process.once('exit', takeAlong)
  const said = { output: '', complaints: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.complaints = (said.complaints + chunk.toString()).slice(-2000)))
  const watch = watchPeak(child)
  let exited = began
  child.once('exit', () => (exited = performance.now()))
  try {
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${said.complaints.slice(-500)}`)
    return { took: exited - began, peak: watch.peak(), output: said.output }
  } finally {
    watch.stop()
    process.off('exit', takeAlong)
  }
}

function watchPeak({ pid }: ChildProcess): { peak(): number; stop(): void } {
  let peak = Number.NaN
  const look = (): void => {
    peak = peakOf(pid ?? 0) ?? peak
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return { peak: () => peak, stop: () => clearInterval(timer) }
}

/** Since it began; undefined where it has ended or the system does not tell. */
export function peakOf(pid: number | 'self'): number | undefined {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return found === null ? undefined : Number(found[1]) * 1024
  } catch {
    return undefined
  }
}

export function isInstalled(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** Bytes of all files in it. */
export function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
