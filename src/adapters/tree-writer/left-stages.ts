/**
 * Stages that were left behind: whoever is killed in the middle of it tidies nothing up, and a stage may hold a password.
 *
 * INVARIANT: removes only what is named as a stage of this tree by a process that is no more. Links in it are not followed.
 */
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { namesIn } from './files.ts'

/** What the path of every stage of a tree begins with; the id of its process follows. */
export function stagesOf(directory: string): string {
  return join(dirname(directory), `.${basename(directory)}-setup-`)
}

export async function sweepStages(directory: string): Promise<void> {
  const start = basename(stagesOf(directory))
  for (const name of await namesIn(dirname(directory))) {
    if (!name.startsWith(start)) continue
    const pid = Number(/^(\d{1,10})-[A-Za-z0-9]{6}$/.exec(name.slice(start.length))?.[1] ?? 0)
    if (pid > 0 && !isThere(pid)) await rm(join(dirname(directory), name), { recursive: true, force: true })
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
