/**
 * Which servers are running, so that they can be told to read their configuration again: one small file for each.
 *
 * INVARIANT: nobody but the process that wrote a file is ever signalled: a number that came into other hands since began
 * at another time. What a dead process has left is removed by whoever finds it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Presence {
  leave(): void
}

interface Note {
  readonly pid: number
  /** When that process began, as the system tells it. */
  readonly started: string
  readonly config: string
}

/** A directory that cannot be written costs `postern reload`, nothing else. */
export function announce(directory: string, config: string): Presence {
  const path = join(directory, 'run', `${process.pid}.json`)
  try {
    mkdirSync(join(directory, 'run'), { recursive: true, mode: 0o700 })
    const note: Note = { pid: process.pid, started: startOf(process.pid) ?? '', config: whereIs(config) }
    writeFileSync(path, JSON.stringify(note), { mode: 0o600 })
  } catch {
    return { leave: () => undefined }
  }
  return { leave: () => remove(path) }
}

/** Tells every live server of that configuration; returns their process ids. */
export function signalServers(directory: string, config: string, signal: NodeJS.Signals): readonly number[] {
  const told: number[] = []
  const wanted = whereIs(config)
  for (const name of list(join(directory, 'run'))) {
    const path = join(directory, 'run', name)
    const note = read(path)
    if (note === undefined || note.config !== wanted) continue
    const isTheSame = note.started !== '' && startOf(note.pid) === note.started
    if (isTheSame && send(note.pid, signal)) told.push(note.pid)
    else remove(path)
  }
  return told
}

/** One tree may be named in several ways. */
function whereIs(config: string): string {
  try {
    return realpathSync(config)
  } catch {
    return config
  }
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => /^\d+\.json$/.test(name))
  } catch {
    return []
  }
}

function read(path: string): Note | undefined {
  try {
    const { pid, started, config }: Partial<Record<keyof Note, unknown>> = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof config !== 'string') return undefined
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, started, config } : undefined
  } catch {
    return undefined
  }
}

/** Undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout?.trim() || undefined
  }
  try {
    // The name of the program, in brackets, may hold anything; the start is the 20th field after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    // It counts from the machine's own start.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`
  } catch {
    return undefined
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is gone already.
  }
}
