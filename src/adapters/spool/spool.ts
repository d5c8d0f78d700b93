/**
 * Messages on their way, in private files that hold some each: one file under as many names as it has messages.
 *
 * INVARIANT: files are readable by their owner alone, and so is a directory made for them. A file appears under a name
 * with everything in it; a message whose bytes and hash do not agree is none. It is gone when its last name is.
 *
 * Nothing is flushed: after a power failure a file may be short or full of zeros, its hashes tell, and the messages are
 * fetched again. A flush, or even a file of its own, for each would cost more than that ever does.
 */
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Spool, Spooled } from '../../ports/spool.ts'
import { bundled, unbundled } from './bundle.ts'
import { codeOf, spoolFailure } from './failures.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const IS_TX_ID = new RegExp(`^${UUID}$`)
/** A message, or the draft of one: only these are ours to remove. */
const IS_OURS = new RegExp(`^(${UUID})\\.msg(\\.${UUID}\\.tmp)?$`)
/** A draft that nobody has written to for so long was left by a crash. */
const DRAFT_MS = 3_600_000
/** Whoever reads one message reads what shares its file. */
const MOST_TOGETHER = 4 * 1024 * 1024
/** What file systems say that know no second name for a file. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EISDIR', 'UNKNOWN'])

export function createSpool({ directory }: { readonly directory: string }): Spool {
  const pathOf = (txId: string): string => join(directory, `${safe(txId)}.msg`)
  return {
    write: (messages) =>
      translated(async () => {
        const placed = messages.map((message) => ({ ...message, path: pathOf(message.txId) }))
        for (const some of inTurns(placed)) await write(directory, some)
      }),
    read: (txId) => translated(() => read(txId, pathOf(txId))),
    remove: (txIds) => translated(() => removeAll(txIds.map(pathOf))),
    keepOnly: (txIds) => translated(async () => removeAll(await strangers(directory, txIds))),
  }
}

interface Placed extends Spooled {
  readonly path: string
}

function inTurns(messages: readonly Placed[]): readonly (readonly Placed[])[] {
  const turns: Placed[][] = []
  let size = 0
  for (const message of messages) {
    const current = turns.at(-1)
    size += message.bytes.length
    if (current !== undefined && size <= MOST_TOGETHER) current.push(message)
    else {
      turns.push([message])
      size = message.bytes.length
    }
  }
  return turns
}

/** An id becomes part of a path. */
function safe(txId: string): string {
  if (!IS_TX_ID.test(txId)) throw new Error('the id of a transfer is a UUID in lower case')
  return txId
}

async function write(directory: string, messages: readonly Placed[]): Promise<void> {
  try {
    await writeTogether(messages)
  } catch (error) {
    const code = codeOf(error)
    if (messages.length > 1 && NO_LINKS.has(code)) {
      for (const message of messages) await write(directory, [message])
      return
    }
    if (code !== 'ENOENT') throw error
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeTogether(messages)
  }
}

/** The name it is written under becomes the first message's own when the others have theirs. */
async function writeTogether(messages: readonly Placed[]): Promise<void> {
  const [first, ...others] = messages
  if (first === undefined) return
  const draft = draftOf(first.path)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(bundled(messages))
    } finally {
      await file.close()
    }
    await Promise.all(others.map(({ path }) => nameToo(draft, path)))
    await rename(draft, first.path)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
}

async function nameToo(file: string, path: string): Promise<void> {
  try {
    await link(file, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    const name = draftOf(path)
    await link(file, name)
    await rename(name, path)
  }
}

function draftOf(path: string): string {
  return `${path}.${randomUUID()}.tmp`
}

async function read(txId: string, path: string): Promise<Uint8Array | undefined> {
  const whole = await orNone(() => readFile(path))
  return whole === undefined ? undefined : unbundled(whole, txId)
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
  await Promise.all(paths.map((path) => orNone(() => unlink(path))))
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
