/** Secrets in environment variables: `secret://callers/invoice-agent/token` is `IMAP_MCP_SECRET__CALLERS__INVOICE_AGENT__TOKEN`. */
import type { SecretStore } from '../../ports/secrets.ts'
import { noSecret, readOnly } from './failures.ts'
import { segmentsOf } from './ref.ts'
import { secretOf } from './secret-text.ts'
import type { Environment } from './settings.ts'

export function createEnvironmentStore(env: Environment): SecretStore {
  return {
    writable: false,
    async read(ref) {
      const name = variableOf(ref)
      const value = env[name]
      if (value === undefined) throw noSecret(ref, `set the environment variable ${name}`)
      return secretOf(ref, new TextEncoder().encode(value))
    },
    async write(ref) {
      segmentsOf(ref)
      throw readOnly(
        'secrets in environment variables cannot be stored from here; use the secret_store backend file_dir, gpg_file or keychain',
      )
    },
    warnings: async (refs) => shared(refs),
  }
}

function variableOf(ref: string): string {
  const names = segmentsOf(ref).map((segment) => segment.replace(/[^A-Za-z0-9]/gu, '_').toUpperCase())
  return ['IMAP_MCP_SECRET', ...names].join('__')
}

/** Names that differ only in what a variable's name cannot hold mean one secret. */
function shared(refs: readonly string[]): readonly string[] {
  const byVariable = Map.groupBy(new Set(refs), variableOf)
  return [...byVariable]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => `${same.join(' and ')} are one and the same environment variable, ${name}; rename one`)
}
