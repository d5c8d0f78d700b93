/**
 * Whose a lease is: a process, by its number and by when it began, since numbers come into other hands.
 *
 * INVARIANT: a process that has ended is never taken for alive, where the system can tell when processes began.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Owner {
  readonly pid: number
  /** As the system tells it; empty where it cannot. */
  readonly started: string
  /** One store among several of the process. */
  readonly token: string
}

export function thisProcess(token: string): Owner {
  return { pid: process.pid, started: startOf(process.pid) ?? '', token }
}

export function isAlive({ pid, started }: Omit<Owner, 'token'>): boolean {
  return started === '' ? exists(pid) : startOf(pid) === started
}

/** It tells the time in the words and the zone of whoever asks, and all must be told the same. */
const PS = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env: PS })
    return stdout?.trim() || undefined
  }
  try {
    // The name of the program, in brackets, may hold anything; its state comes after it, the start 19 fields later.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (HAS_ENDED.has(fields[0] ?? '')) return undefined
    // It counts from the machine's own start.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
  } catch {
    return undefined
  }
}

/** A process whose parent has not asked about its end yet is still listed. */
const HAS_ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x'])

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
