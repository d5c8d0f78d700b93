/**
 * Secrets in files that gpg encrypted, one each: `secret://a/b` is `a/b.gpg`, or `a/b.asc` where only that is there.
 *
 * INVARIANT: a secret in the clear is only ever in the pipes to and from gpg.
 */
import type { SecretStore } from '../../ports/secrets.ts'
import { fileFailure, noSecret, readOnly } from './failures.ts'
import { type FileBelow, findBelow, readBelow } from './files-below.ts'
import { decrypt, encrypt } from './gpg.ts'
import { segmentsOf } from './ref.ts'
import { replaceBelow } from './replace-file.ts'
import { bytesOf, MOST_BYTES, secretOf } from './secret-text.ts'
import type { Environment, GpgSettings } from './settings.ts'

const ENDINGS = ['.gpg', '.asc'] as const
/** Armour makes it a third larger, and every recipient adds some. */
const MOST_ENCRYPTED_BYTES = 4 * MOST_BYTES

export function createGpgStore(settings: GpgSettings, env: Environment): SecretStore {
  const { path: root, recipient } = settings

  async function encrypted(ref: string): Promise<FileBelow> {
    const segments = segmentsOf(ref)
    for (const ending of ENDINGS) {
      const file = await readBelow(root, named(segments, ending), ref, MOST_ENCRYPTED_BYTES)
      if (file !== undefined) return file
    }
    throw noSecret(ref, `encrypt it into the file ${segments.join('/')}.gpg of the store's directory`)
  }

  return {
    writable: recipient !== undefined,
    async read(ref) {
      try {
        const { bytes } = await encrypted(ref)
        return secretOf(ref, await decrypt({ settings, env, ref }, bytes, MOST_BYTES))
      } catch (error) {
        throw fileFailure(ref, error)
      }
    },
    async write(ref, secret) {
      const segments = segmentsOf(ref)
      if (recipient === undefined) {
        throw readOnly(
          'the secret store does not say whom to encrypt to; set secret_store.recipient to a key fingerprint',
        )
      }
      const bytes = bytesOf(ref, secret)
      try {
        const ending = await endingInUse(root, segments, ref)
        const sealed = await encrypt({ settings, env, ref }, recipient, bytes, ending === '.asc', MOST_ENCRYPTED_BYTES)
        await replaceBelow(root, named(segments, ending), ref, sealed)
      } catch (error) {
        throw fileFailure(ref, error)
      }
    },
    async warnings(refs) {
      const found = await Promise.all([...new Set(refs)].map((ref) => twofold(root, ref)))
      return found.filter((warning) => warning !== undefined)
    },
  }
}

/** The file that `read` would take is the one to replace; otherwise the old secret would stay beside the new one. */
async function endingInUse(root: string, segments: readonly string[], ref: string): Promise<'.gpg' | '.asc'> {
  const [binary, armoured] = await Promise.all(ENDINGS.map((ending) => present(root, named(segments, ending), ref)))
  return armoured && !binary ? '.asc' : '.gpg'
}

async function twofold(root: string, ref: string): Promise<string | undefined> {
  const segments = segmentsOf(ref)
  const found = await Promise.all(ENDINGS.map((ending) => present(root, named(segments, ending), ref)))
  if (!found.every(Boolean)) return undefined
  return `the secret ${ref} is in two files, and the one that ends in .asc is never read; delete it`
}

/** What is in the way, or leads elsewhere, is not there to be used. */
async function present(root: string, names: readonly string[], ref: string): Promise<boolean> {
  return (await findBelow(root, names, ref).catch(() => undefined)) !== undefined
}

function named(segments: readonly string[], ending: string): readonly string[] {
  return segments.with(-1, `${segments.at(-1)}${ending}`)
}
