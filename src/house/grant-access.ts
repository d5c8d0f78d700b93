/** `postern oauth`, bound to the account's provider, secret store and notes. */
import type { SecretiveLog } from '../adapters/log/log.ts'
import { createAuthorization } from '../adapters/oauth/authorization.ts'
import { createGrantNotes } from '../adapters/oauth/grant-notes.ts'
import { oauthScope, readOAuthClient } from '../config/oauth.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import { type Bootstrapped, type BootstrapSteps, bootstrap } from '../engine/credentials/bootstrap.ts'
import { lazily } from './lazily.ts'
import { secretsOf } from './tree-secrets.ts'

interface Asked {
  readonly tree: Pick<Tree, 'accounts' | 'secretStore'>
  readonly account: string
  readonly steps: BootstrapSteps
  readonly signal: AbortSignal
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where state lives. */
  readonly directory: string
  readonly log: SecretiveLog
}

export async function grantAccess({
  tree,
  account: id,
  steps,
  signal,
  env,
  directory,
  log,
}: Asked): Promise<Bootstrapped> {
  const account = tree.accounts.find((candidate) => candidate.id === id)
  if (account === undefined) throw new Failure('not_found', `there is no account "${id}" in the configuration`)
  const { auth, provider, mock, identity, user } = account
  if (auth?.type !== 'xoauth2') {
    throw new Failure('invalid_input', `account "${id}" logs in with a password; OAuth is for auth: { type: xoauth2 }`)
  }
  const loginHint = identity ?? (user.includes('@') ? user : undefined)
  const parts = {
    account: id,
    secretRef: auth.secretRef,
    scope: oauthScope(provider, auth.scope),
    secrets: secretsOf(tree, { env, log }),
    notes: createGrantNotes({ directory }),
    authorization: lazily(async () => createAuthorization(readOAuthClient(env, { provider, mock }))),
    loginHint,
  }
  return bootstrap(parts, steps, signal)
}
