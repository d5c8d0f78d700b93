/**
 * `postern oauth`: a person grants access to an account, once.
 *
 * INVARIANT: nobody is sent to a browser for a token that could not be kept. What is noted of the account changes only
 * after the new refresh token is durable.
 */
import { Failure } from '../../core/failure.ts'
import type { Authorization } from '../../ports/authorization.ts'
import type { Tokens } from '../../ports/token-endpoint.ts'
import type { GrantParts } from './grant.ts'
import { compareScopes, normalScope, nothingGranted, type ScopeDifference, scopeMayWrite } from './scopes.ts'

export interface BootstrapParts extends GrantParts {
  readonly authorization: Authorization
  /** The address whose mail it is, where it is known. */
  readonly loginHint: string | undefined
}

/** What the person is shown and asked on the way. */
export interface BootstrapSteps {
  readonly paste: boolean
  show(url: string): void
  /** Asked only with `paste`: the address the browser was sent to, or the code in it. */
  pasted(signal: AbortSignal): Promise<string>
}

export interface Bootstrapped extends ScopeDifference {
  readonly mayWrite: boolean
}

export async function bootstrap(
  parts: BootstrapParts,
  steps: BootstrapSteps,
  signal: AbortSignal,
): Promise<Bootstrapped> {
  if (!parts.secrets.writable) throw readOnlyStore(parts.account)
  const tokens = await askPerson(parts, steps, signal)
  const { refreshToken, scope: granted = parts.scope } = tokens
  if (refreshToken === undefined) throw noRefreshToken()
  if (nothingGranted(parts.scope, granted)) throw nothingTicked()
  await keepGrant(parts, refreshToken, tokens.scope)
  return {
    ...compareScopes(parts.scope, granted),
    mayWrite: scopeMayWrite(parts.scope) && scopeMayWrite(granted),
  }
}

async function askPerson(parts: BootstrapParts, steps: BootstrapSteps, signal: AbortSignal): Promise<Tokens> {
  const { scope, loginHint, authorization } = parts
  const pending = await authorization.begin({ scope, loginHint, paste: steps.paste }, signal)
  try {
    steps.show(pending.url)
    return steps.paste ? await pending.redeem(await steps.pasted(signal)) : await pending.returned()
  } finally {
    await pending.close()
  }
}

/** Alone, so that a refresh with the old token, at this very moment, cannot put its own over it. */
async function keepGrant(parts: BootstrapParts, refreshToken: string, granted: string | undefined): Promise<void> {
  const { account, secretRef, secrets, notes, scope } = parts
  await notes.alone(account, async () => {
    await secrets.write(secretRef, refreshToken)
    await notes.write(account, {
      scope: normalScope(scope),
      ...(granted === undefined ? {} : { granted: normalScope(granted) }),
    })
  })
}

function readOnlyStore(account: string): Failure {
  const why = 'the secret store is read-only, so there is nowhere to put its refresh token'
  const cure = 'set secret_store.backend in accounts.yaml to one that can be written, such as file_dir'
  return new Failure('unsupported', `access to account ${account} cannot be granted: ${why}; ${cure}`)
}

function noRefreshToken(): Failure {
  const cure =
    "withdraw the app's access in the account's security settings, ask for offline_access, and run this again"
  return new Failure('rejected', `the provider gave access for an hour but no refresh token; ${cure}`)
}

function nothingTicked(): Failure {
  return new Failure(
    'rejected',
    'the provider granted nothing of the oauth_scope that was asked for; run this again and tick its box',
  )
}
