/** The files of MCP clients on this machine. */
import { lstat, mkdir, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { ClientFiles } from '../../ports/client-files.ts'
import { codeOf, fileFailure } from './failures.ts'

export interface ClientFilesOptions {
  readonly home: string
  /** Milliseconds since 1970. */
  now(): number
}

const MOST_BYTES = 64 * 1024 * 1024
const OWNER_ONLY = 0o600

export function createClientFiles({ home, now }: ClientFilesOptions): ClientFiles {
  const name = (path: readonly string[]): string => {
    const whole = join(...path)
    return whole.startsWith(home + sep) ? `~${whole.slice(home.length)}` : whole
  }
  return {
    name,
    read: (path) => named(name(path), async () => (await contentsOf(join(...path)))?.text),
    // A file right in the home directory has no folder that would tell.
    isAtHome: (path) => isThere(dirname(join(...path)) === home ? join(...path) : dirname(join(...path))),
    replace: (path, text, before) =>
      named(name(path), async () => {
        const there = await contentsOf(join(...path))
        if (there?.text !== before) throw changedMeanwhile(name(path))
        if (there === undefined) {
          await mkdir(dirname(join(...path)), { recursive: true })
          await put(join(...path), text, OWNER_ONLY)
          return undefined
        }
        const copy = `${there.path}.postern-${stamp(now())}.bak`
        await writeNew(copy, there.text, there.mode)
        await put(there.path, text, there.mode)
        return copy
      }),
  }
}

interface Contents {
  /** At the end of links. */
  readonly path: string
  readonly text: string
  readonly mode: number
}

async function contentsOf(path: string): Promise<Contents | undefined> {
  const real = await realpath(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (real === undefined) {
    if (await isLink(path)) throw new Failure('not_found', 'it is a link that leads nowhere')
    return undefined
  }
  const found = await stat(real)
  const { size, mode } = found
  // A pipe would be waited for, and a device has no end.
  if (!found.isFile() && !found.isDirectory()) throw new Failure('unreadable', 'it is no ordinary file')
  if (size > MOST_BYTES) throw new Failure('too_large', 'it is too large to be edited safely')
  try {
    // A byte order mark is part of what has to stay as it is.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(real))
    return { path: real, text, mode: mode & 0o777 }
  } catch (error) {
    if (error instanceof TypeError) throw new Failure('unreadable', 'it is not UTF-8 text')
    throw error
  }
}

async function put(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.postern-${crypto.randomUUID()}.tmp`
  try {
    await writeNew(draft, text, mode)
    await rename(draft, path)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** One that leads nowhere is not ours to replace by a file. */
async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function stamp(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').replace('.', '-').slice(0, 19)
}

async function named<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fileFailure(file, error)
  }
}

function changedMeanwhile(file: string): Failure {
  return new Failure('conflict', `${file} was changed by another program at this very moment; run the command again`)
}
