/**
 * The key that all processes of one data directory share.
 *
 * INVARIANT: it appears under its name whole or not at all, and the first one to appear stays: of processes that start at
 * once, one makes it and the others read that one.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { keyDamaged, keyUnavailable } from './failures.ts'

export const SEAL_KEY = 'seal.key'
export const KEY_BYTES = 32

export async function sharedKey(directory: string): Promise<Buffer> {
  const path = join(directory, SEAL_KEY)
  const key = await readOrMake(directory, path).catch((error: unknown) => {
    throw keyUnavailable(error)
  })
  if (key.length !== KEY_BYTES) throw keyDamaged()
  return key
}

async function readOrMake(directory: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  try {
    await writeNew(draft, randomBytes(KEY_BYTES))
    // Unlike a rename, a link never replaces what another process has put there in the meantime.
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  } finally {
    await unlink(draft).catch(() => undefined)
  }
  return readFile(path)
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
