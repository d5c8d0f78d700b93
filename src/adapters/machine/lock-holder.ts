/** Which process holds a lock on a file, where the system tells. */
import { readFileSync, statSync } from 'node:fs'

export interface LockHolder {
  readonly pid: number | undefined
  /** Held by a signal. */
  readonly isStopped: boolean
}

/** Of a file that is known to be locked. */
export function holderOf(path: string): LockHolder {
  const pid = process.platform === 'linux' ? pidOf(path) : undefined
  return { pid, isStopped: pid !== undefined && isStopped(pid) }
}

/** `/proc/locks` names files by device and inode: `1: POSIX ADVISORY WRITE 1234 08:01:5678 …`. */
function pidOf(path: string): number | undefined {
  try {
    const { ino } = statSync(path)
    const lines = readFileSync('/proc/locks', 'utf8').split('\n')
    const line = lines.find((text) => text.includes(' WRITE ') && new RegExp(`:${ino} `).test(text))
    const pid = Number(/ WRITE +(\d+) /.exec(line ?? '')?.[1])
    return pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

function isStopped(pid: number): boolean {
  try {
    // The name of the program, in brackets, may hold anything; the state follows it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}
