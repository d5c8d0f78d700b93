/**
 * Messages on their way, each in a file of its own: the SHA-256 of its bytes, then the bytes.
 *
 * INVARIANT: files are readable by their owner alone, and so is a directory made for them. A file appears under its name
 * with everything in it; one whose bytes and hash do not agree is none.
 *
 * Nothing is flushed: after a power failure a file may be short or full of zeros, its hash tells, and the message is fetched
 * again. A flush for each would cost more than that ever does.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Spool } from '../../ports/spool.ts'
import { codeOf, spoolFailure } from './failures.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const IS_TX_ID = new RegExp(`^${UUID}$`)
/** A message, or the draft of one: only these are ours to remove. */
const IS_OURS = new RegExp(`^(${UUID})\\.msg(\\.${UUID}\\.tmp)?$`)
/** A draft that nobody has written to for so long was left by a crash. */
const DRAFT_MS = 3_600_000
const HASH_BYTES = 32

export function createSpool({ directory }: { readonly directory: string }): Spool {
  const pathOf = (txId: string): string => join(directory, `${safe(txId)}.msg`)
  return {
    write: (txId, bytes) => translated(() => write(directory, pathOf(txId), bytes)),
    read: (txId) => translated(() => read(pathOf(txId))),
    remove: (txIds) => translated(() => removeAll(txIds.map(pathOf))),
    keepOnly: (txIds) => translated(async () => removeAll(await strangers(directory, txIds))),
  }
}

/** An id becomes part of a path. */
function safe(txId: string): string {
  if (!IS_TX_ID.test(txId)) throw new Error('the id of a transfer is a UUID in lower case')
  return txId
}

async function write(directory: string, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeOnce(path, bytes)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeOnce(path, bytes)
  }
}

async function writeOnce(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(hashOf(bytes))
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
}

async function read(path: string): Promise<Uint8Array | undefined> {
  const whole = await orNone(() => readFile(path))
  if (whole === undefined) return undefined
  const bytes = whole.subarray(HASH_BYTES)
  return hashOf(bytes).equals(whole.subarray(0, HASH_BYTES)) ? bytes : undefined
}

async function strangers(directory: string, known: ReadonlySet<string>): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of (await orNone(() => readdir(directory))) ?? []) {
    const [, txId, draft] = IS_OURS.exec(name) ?? []
    if (txId === undefined || known.has(txId)) continue
    const path = join(directory, name)
    if (draft === undefined || (await isLeft(path))) found.push(path)
  }
  return found
}

/** Another process may be writing it: one that began after the list of who is known was made. */
async function isLeft(path: string): Promise<boolean> {
  const seen = await orNone(() => stat(path))
  return seen !== undefined && seen.mtimeMs < Date.now() - DRAFT_MS
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await orNone(() => unlink(path))
}

async function orNone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw spoolFailure(error)
  }
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
