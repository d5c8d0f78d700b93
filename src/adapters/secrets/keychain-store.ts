/**
 * Secrets in the keychain of the desktop: service `postern`, account the path of the ref.
 *
 * INVARIANT: on Linux only the Secret Service is used. The kernel's keyring, which the library would fall back to, forgets
 * everything at the next start. Nothing the library says is passed on, as it was given the secret.
 */
import { Failure } from '../../core/failure.ts'
import type { SecretStore } from '../../ports/secrets.ts'
import { noSecret, storeUnavailable } from './failures.ts'
import { segmentsOf } from './ref.ts'
import { bytesOf, secretOf } from './secret-text.ts'

export interface KeychainEntry {
  getPassword(): Promise<string | null>
  setPassword(secret: string): Promise<void>
}

export type OpenEntry = (account: string) => Promise<KeychainEntry>

const SERVICE = 'postern'
/** Long enough for a person to unlock it when asked. */
const PATIENCE_MS = 30_000

export function createKeychainStore(openEntry: OpenEntry = systemEntry, patienceMs = PATIENCE_MS): SecretStore {
  const entryOf = (ref: string): Promise<KeychainEntry> => openEntry(segmentsOf(ref).join('/'))

  return {
    writable: true,
    async read(ref) {
      const account = segmentsOf(ref).join('/')
      const get = entryOf(ref).then((entry) => entry.getPassword())
      const found = await inTime(get.catch(unusable), patienceMs, () => storeUnavailable(NO_ANSWER))
      if (found === null) throw noSecret(ref, `add it to the keychain as service ${SERVICE}, account ${account}`)
      return secretOf(ref, new TextEncoder().encode(found))
    },
    async write(ref, secret) {
      segmentsOf(ref)
      bytesOf(ref, secret)
      const set = entryOf(ref).then((entry) => entry.setPassword(secret))
      await inTime(
        set.catch(unusable),
        patienceMs,
        () => new Failure('outcome_unknown', NO_ANSWER, { stage: 'secrets' }),
      )
    },
    warnings: async () => [],
  }
}

const NO_ANSWER = 'the keychain did not answer in time; unlock it and try again'

async function systemEntry(account: string): Promise<KeychainEntry> {
  const { AsyncEntry } = await import('@napi-rs/keyring').catch(() => {
    throw storeUnavailable(
      'the keychain needs the optional package @napi-rs/keyring, which is not installed here; install it, or use the secret_store backend file_dir',
    )
  })
  return new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } })
}

function unusable(error: unknown): never {
  if (error instanceof Failure) throw error
  throw storeUnavailable(
    process.platform === 'linux'
      ? 'this machine has no keychain that answers: on Linux that takes a desktop session with an unlocked Secret Service, such as GNOME Keyring; on a server use the secret_store backend file_dir'
      : 'the keychain of this machine refused; unlock it, or use the secret_store backend file_dir',
  )
}

/** The library cannot be stopped once it waits for a person, only left behind. */
async function inTime<T>(work: Promise<T>, patienceMs: number, late: () => Failure): Promise<T> {
  let impatience: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    impatience = setTimeout(() => reject(late()), patienceMs)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(impatience)
  }
}
