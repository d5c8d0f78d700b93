/** The accounts of a configuration tree, each with its way to log in. */
import { systemClock } from '../adapters/clock/system-clock.ts'
import type { createImapSource } from '../adapters/imap/source.ts'
import type { SecretiveLog } from '../adapters/log/log.ts'
import { readServerSettings } from '../config/environment.ts'
import { oauthScope, readOAuthClient } from '../config/oauth.ts'
import type { AccountAuth, TreeAccount } from '../config/tree/tree.ts'
import { tokenRefresh } from '../core/audit/events.ts'
import type { Account } from '../engine/accounts/accounts.ts'
import type { Access } from '../ports/access.ts'
import type { AuditLog } from '../ports/audit-log.ts'
import type { MailFeed } from '../ports/mail-feed.ts'
import type { SecretStore } from '../ports/secrets.ts'
import { imapTimeouts, localAccount } from './environment-house.ts'
import { gmailAccount } from './gmail.ts'
import { lazily, once } from './lazily.ts'
import { type MirrorParts, mirrored } from './mirrors.ts'
import { VERSION } from './postern.ts'
import { smtpSender } from './smtp.ts'

type Variables = Readonly<Record<string, string | undefined>>

export interface AccountParts {
  readonly env: Variables
  /** Where state lives. */
  readonly directory: string
  readonly audit: AuditLog
  readonly log: SecretiveLog
  readonly secrets: SecretStore
  /** Absent where nothing is to be kept: then only servers are asked. */
  readonly mirrors?: Pick<MirrorParts, 'content' | 'follow' | 'onMirror'>
}

export function accountFrom(account: TreeAccount, parts: AccountParts): Account {
  const { id, provider, host, port, tls, user, ca, auth, authservId, tokenCache, identity, mirror } = account
  if (provider === 'local') return localAccount(id, parts.directory)
  if (auth === undefined) throw new Error('an account of a server has a way to log in')
  const access = accessFor(account, auth, parts)
  if (provider === 'gmail') {
    const gmail = gmailAccount(account, access, parts)
    return kept(gmail.account, mirror, gmail.feed, parts)
  }
  let imap: ReturnType<typeof createImapSource> | undefined
  const open = once(async () => {
    const { createImapSource: create } = await import('../adapters/imap/source.ts')
    const trust = ca === undefined ? {} : { ca }
    const limits = imapTimeouts(readServerSettings(parts.env).timeouts)
    imap = create(
      { account: id, host, port, tls, user, access, ...limits, ...trust, clientVersion: VERSION },
      parts.log,
    )
    return imap
  })
  const source = lazily(open)
  const made: Account = {
    id,
    host,
    port,
    secure: tls === 'implicit',
    provider,
    tokenCache,
    source,
    connections: () => imap?.connections(),
    ...(identity !== undefined && { address: identity }),
    ...(provider === 'google' && { google: source }),
    ...(authservId !== undefined && { authservId }),
    ...(auth.type === 'xoauth2' && { standing: () => access.standing() }),
    ...senderOf(account, access, parts),
  }
  return kept(made, mirror, open, parts)
}

function kept(
  account: Account,
  depth: TreeAccount['mirror'],
  feed: () => Promise<MailFeed>,
  parts: AccountParts,
): Account {
  return parts.mirrors === undefined ? account : mirrored(account, depth, feed, { ...parts, ...parts.mirrors })
}

/** How an account logs in where its letters leave. */
export function sendingAccess(account: TreeAccount, parts: AccountParts): Access | undefined {
  const { auth, smtp } = account
  if (auth === undefined || smtp === undefined) return undefined
  return smtp.secretRef === undefined ? accessFor(account, auth, parts) : passwordAccess(smtp.secretRef, parts.secrets)
}

/** Google and Microsoft keep a copy of what leaves through their servers by themselves. */
function senderOf(
  { id, provider, mock, smtp, ca }: TreeAccount,
  own: Access,
  { log, secrets }: AccountParts,
): Pick<Account, 'sender' | 'sendingProblem' | 'filesSent'> {
  if (smtp === undefined) return {}
  const { secretRef } = smtp
  const access = secretRef === undefined ? own : passwordAccess(secretRef, secrets)
  const filesSent = (provider === 'google' || provider === 'microsoft') && !mock
  return { ...smtpSender(id, smtp, access, { ca, log }), filesSent }
}

function passwordAccess(ref: string, secrets: SecretStore): Access {
  return lazily(async () => {
    const { createPasswordAccess } = await import('../engine/credentials/password-access.ts')
    return createPasswordAccess({ secrets, ref })
  })
}

function accessFor(account: TreeAccount, auth: AccountAuth, parts: AccountParts): Access {
  if (auth.type === 'password') return passwordAccess(auth.secretRef, parts.secrets)
  return lazily(() => oauthAccess(account, auth, parts))
}

/** Where a reload changes the scope of an account: notes the one before, so that access has to be granted again. */
export async function noteScopeChange(
  before: TreeAccount,
  after: TreeAccount | undefined,
  { directory, secrets }: Pick<AccountParts, 'directory' | 'secrets'>,
): Promise<void> {
  const { id, provider, auth } = before
  if (auth?.type !== 'xoauth2' || after?.auth?.type !== 'xoauth2' || auth.secretRef !== after.auth.secretRef) return
  const scope = oauthScope(provider, auth.scope)
  if (scope === oauthScope(after.provider, after.auth.scope)) return
  const { noteScopeInUse } = await import('../engine/credentials/grant.ts')
  const { createGrantNotes } = await import('../adapters/oauth/grant-notes.ts')
  const { secretRef } = auth
  await noteScopeInUse({ account: id, secretRef, scope, secrets, notes: createGrantNotes({ directory }) })
}

async function oauthAccess(
  { id, provider, mock, tokenCache }: TreeAccount,
  { secretRef, scope }: Extract<AccountAuth, { type: 'xoauth2' }>,
  { env, directory, audit, log, secrets }: AccountParts,
): Promise<Access> {
  const { createOAuthAccess } = await import('../engine/credentials/oauth-access.ts')
  const { createGrantNotes } = await import('../adapters/oauth/grant-notes.ts')
  return createOAuthAccess({
    account: id,
    secretRef,
    scope: oauthScope(provider, scope),
    secrets,
    notes: createGrantNotes({ directory }),
    tokenCache,
    // A client that is not set up yet is no reason not to list the account.
    endpoint: lazily(async () => {
      const { createTokenEndpoint } = await import('../adapters/oauth/token-endpoint.ts')
      return createTokenEndpoint(readOAuthClient(env, { provider, mock }))
    }),
    clock: systemClock,
    log,
    async onRefresh(account, outcome) {
      const ts = new Date(systemClock.now()).toISOString()
      const failed =
        outcome.kind === 'refreshed' ? undefined : outcome.kind === 'refused' ? 'auth_failed' : outcome.code
      await audit.append(tokenRefresh(ts, account, failed))
    },
  })
}
