/**
 * Where consoles of a data directory are served at this moment, for whoever needs a new link to one.
 *
 * INVARIANT: names only servers whose process is there. Never throws: without it only `postern console --link` is poorer.
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
    if (isAlive(pid)) return originIn(join(folder, name))
    rmSync(join(folder, name), { force: true })
    return []
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
