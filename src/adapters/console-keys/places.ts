/**
 * Where consoles of a data directory are served at this moment, for whoever needs a new link to one.
 *
 * INVARIANT: names only servers whose process is there and is this user's: a link that leads to another's would be theirs. Never throws: without it only `postern console --link` is poorer.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NAME = /^at-(\d{1,10})\.txt$/

/** `origin` is such as `http://127.0.0.1:8025`. Returns what takes it back. */
export function announceConsole(directory: string, origin: string): () => void {
  const folder = join(directory, 'console')
  const path = join(folder, `at-${process.pid}.txt`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(path, origin, { mode: 0o600 })
  } catch {
    return () => undefined
  }
  return () => rmSync(path, { force: true })
}

export function servedConsoles(directory: string): readonly string[] {
  const folder = join(directory, 'console')
  return namesIn(folder).flatMap((name) => {
    const pid = Number(NAME.exec(name)?.[1] ?? 0)
    if (pid === 0) return []
    const whose = holderOf(pid)
    if (whose === 'nobody') rmSync(join(folder, name), { force: true })
    return whose === 'ours' ? originIn(join(folder, name)) : []
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

function originIn(path: string): string[] {
  try {
    const origin = readFileSync(path, 'utf8')
    return URL.parse(origin)?.origin === origin ? [origin] : []
  } catch {
    return []
  }
}

/** An id is given out again, so what has ours now may be anybody's. */
function holderOf(pid: number): 'ours' | 'another' | 'nobody' {
  try {
    process.kill(pid, 0)
    return 'ours'
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? 'another' : 'nobody'
  }
}
