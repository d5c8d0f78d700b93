/** Secrets in files, one each: `secret://a/b` is the file `a/b` in the store's directory. */
import { stat } from 'node:fs/promises'
import type { SecretStore } from '../../ports/secrets.ts'
import { fileFailure, noSecret } from './failures.ts'
import { findBelow, readBelow, realRoot } from './files-below.ts'
import { segmentsOf } from './ref.ts'
import { replaceBelow } from './replace-file.ts'
import { bytesOf, MOST_BYTES, secretOf } from './secret-text.ts'

const OTHERS_READ = 0o044
const OTHERS_WRITE = 0o022

export function createFileStore(root: string): SecretStore {
  return {
    writable: true,
    async read(ref) {
      const segments = segmentsOf(ref)
      try {
        const file = await readBelow(root, segments, ref, MOST_BYTES)
        if (file === undefined) throw noSecret(ref, `put it in the file ${segments.join('/')} of the store's directory`)
        return secretOf(ref, file.bytes)
      } catch (error) {
        throw fileFailure(ref, error)
      }
    },
    async write(ref, secret) {
      const segments = segmentsOf(ref)
      const bytes = bytesOf(ref, secret)
      try {
        await replaceBelow(root, segments, ref, bytes)
      } catch (error) {
        throw fileFailure(ref, error)
      }
    },
    async warnings(refs) {
      if (process.platform === 'win32') return []
      const found = await Promise.all([rootWarning(root), ...[...new Set(refs)].map((ref) => fileWarning(root, ref))])
      return found.filter((warning) => warning !== undefined)
    },
  }
}

/** A file that cannot be found or opened is for `read` to complain about. */
async function fileWarning(root: string, ref: string): Promise<string | undefined> {
  try {
    const path = await findBelow(root, segmentsOf(ref), ref)
    if (path === undefined) return undefined
    const mode = await modeOf(path)
    if ((mode & (OTHERS_READ | OTHERS_WRITE)) === 0) return undefined
    const what = (mode & OTHERS_READ) !== 0 ? 'read' : 'written'
    return `the secret ${ref} can be ${what} by other users of this machine; run: chmod 600 ${quoted(path)}`
  } catch {
    return undefined
  }
}

async function rootWarning(root: string): Promise<string | undefined> {
  try {
    const path = await realRoot(root)
    if (((await modeOf(path)) & OTHERS_WRITE) === 0) return undefined
    return `other users of this machine can put secrets into the secret store; run: chmod go-w ${quoted(path)}`
  } catch {
    return undefined
  }
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./@%+,:=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
