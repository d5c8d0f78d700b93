/**
 * The secret store of a configuration tree.
 *
 * INVARIANT: loaded with its first use; whatever is read or written is masked in the log from then on. What
 * is wrong with how a secret is kept is said with its first use.
 */
import type { SecretiveLog } from '../adapters/log/log.ts'
import type { Tree } from '../config/tree/tree.ts'
import type { SecretStore } from '../ports/secrets.ts'
import { lazily } from './lazily.ts'

/** Whoever guesses a token is its caller. */
const SHORTEST_TOKEN = 20

/** What is to be said of a caller's token. */
export function shortToken(caller: string, token: string): readonly string[] {
  if (token.length >= SHORTEST_TOKEN) return []
  const cure = 'make one with "openssl rand -base64 24"'
  return [`the token of caller "${caller}" has fewer than ${SHORTEST_TOKEN} characters and could be guessed; ${cure}`]
}

interface Parts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: SecretiveLog
  /** Told of a secret that others could read, among other things. */
  warn?(warning: string): void
}

export function secretsOf({ secretStore }: Pick<Tree, 'secretStore'>, { env, log, warn }: Parts): SecretStore {
  const store = lazily(async () => {
    const { createSecretStore } = await import('../adapters/secrets/store.ts')
    return createSecretStore(secretStore, env)
  })
  const { backend } = secretStore
  const lookedAt = new Set<string>()
  return {
    writable: backend === 'gpg_file' ? secretStore.recipient !== undefined : backend !== 'env_var',
    async read(ref) {
      const secret = await store.read(ref)
      log.hide(secret)
      if (warn === undefined || lookedAt.has(ref)) return secret
      lookedAt.add(ref)
      for (const warning of await store.warnings([ref])) warn(warning)
      return secret
    },
    write(ref, secret) {
      log.hide(secret)
      return store.write(ref, secret)
    },
    warnings: (refs) => store.warnings(refs),
  }
}
