/** Access by a password that lies in the secret store: read for every connection, so that a new one counts at once. */
import { Failure } from '../../core/failure.ts'
import type { Access } from '../../ports/access.ts'
import type { SecretStore } from '../../ports/secrets.ts'
import { givenUp, isNotFound } from './failures.ts'

export interface PasswordAccessParts {
  readonly secrets: SecretStore
  readonly ref: string
}

export function createPasswordAccess({ secrets, ref }: PasswordAccessParts): Access {
  return {
    async credentials(signal) {
      if (signal.aborted) throw givenUp(signal)
      return { kind: 'password', password: await secrets.read(ref).catch(explain) }
    },
    standing: async () => ({ state: 'active', mayWrite: true }),
    refused: async () => undefined,
  }

  /** A missing password must not look like missing mail. */
  function explain(error: unknown): never {
    if (!isNotFound(error)) throw error
    const message = `there is no password in the secret store under ${ref}; put it there`
    throw new Failure('auth_failed', message, { cause: error, stage: 'credentials' })
  }
}
