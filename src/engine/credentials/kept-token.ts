/**
 * The access token of a `persist_all` account, kept beside its refresh token so that the next process can begin with it.
 *
 * INVARIANT: kept only in the secret store, and used only while the refresh token it came from is still the one in use.
 * Keeping it is a convenience: what fails here is told in the log and costs one refresh.
 */
import { Failure } from '../../core/failure.ts'
import type { Log } from '../../ports/log.ts'
import type { SecretStore } from '../../ports/secrets.ts'
import { fingerprint } from './fingerprint.ts'

export interface AccessToken {
  readonly accessToken: string
  readonly obtainedAt: number
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface Keeping {
  readonly account: string
  readonly secretRef: string
  readonly secrets: SecretStore
  readonly log: Log
}

export function keptRef(secretRef: string): string {
  return `${secretRef}.access_token`
}

export async function readKept(keeping: Keeping, refreshToken: string): Promise<AccessToken | undefined> {
  try {
    const kept: unknown = JSON.parse(await keeping.secrets.read(keptRef(keeping.secretRef)))
    const { access_token, obtained_at, expires_at, from }: Record<string, unknown> = { ...(kept as object) }
    if (typeof access_token !== 'string' || access_token === '' || from !== (await fingerprint(refreshToken))) {
      return undefined
    }
    if (typeof obtained_at !== 'number' || typeof expires_at !== 'number') return undefined
    return { accessToken: access_token, obtainedAt: obtained_at, expiresAt: expires_at }
  } catch (error) {
    // None kept yet, or something that is not ours.
    if (error instanceof SyntaxError || (error instanceof Failure && error.code === 'not_found')) return undefined
    tell(keeping, error, 'a kept access token cannot be read')
    return undefined
  }
}

export async function keep(keeping: Keeping, token: AccessToken, refreshToken: string): Promise<void> {
  if (!keeping.secrets.writable) return
  const { accessToken, obtainedAt, expiresAt } = token
  const from = await fingerprint(refreshToken)
  const text = JSON.stringify({ access_token: accessToken, obtained_at: obtainedAt, expires_at: expiresAt, from })
  await keeping.secrets
    .write(keptRef(keeping.secretRef), text)
    .catch((error: unknown) => tell(keeping, error, 'an access token cannot be kept'))
}

function tell({ account, log }: Keeping, error: unknown, message: string): void {
  if (!(error instanceof Failure)) throw error
  log.warn({ account, code: error.code }, message)
}
