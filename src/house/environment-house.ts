/**
 * Postern for one person: accounts from `MAIL_IMAP_*` variables and from `postern import`, and one caller that is their
 * owner.
 */
import { join } from 'node:path'
import type { ImapOptions } from '../adapters/imap/line/options.ts'
import type { createImapSource } from '../adapters/imap/source.ts'
import { localAccounts, localDatabase } from '../adapters/local/accounts.ts'
import type { SecretiveLog } from '../adapters/log/log.ts'
import type { EnvironmentAccount, EnvironmentConfig, Timeouts } from '../config/environment.ts'
import { Failure } from '../core/failure.ts'
import { ownerPolicy } from '../core/policy/policy.ts'
import { type Account, Accounts, type Connections } from '../engine/accounts/accounts.ts'
import type { Access } from '../ports/access.ts'
import type { ContentReader } from '../ports/content-reader.ts'
import type { MailSource } from '../ports/mail-source.ts'
import type { Opened } from '../surfaces/cli/serve.ts'
import type { Visitor } from '../surfaces/mcp/server.ts'
import type { ToolSet } from '../surfaces/tools/tool.ts'
import { lazily, once } from './lazily.ts'
import { type MirrorParts, mirrored } from './mirrors.ts'
import type { OutboxSettings } from './outbox.ts'
import { openAudit, openPostern, VERSION } from './postern.ts'
import { smtpSender } from './smtp.ts'

/** An account that lives in a file has no host. */
export const LOCAL = { host: 'local', port: 0, secure: true, provider: 'local' } as const

export interface Owner {
  readonly accounts: readonly Account[]
  readonly content: ContentReader
  /** Where state lives. */
  readonly directory: string
  /** Who calls. */
  readonly id: string
  readonly writes: boolean
  /** Whether an approval file must name the digest of the message: then none that is written by hand counts. */
  readonly requireDigest: boolean
  readonly sets: readonly ToolSet[]
  /** What HTTP callers must know. Without one, none is let in. */
  readonly token: string | undefined
  readonly outbox: OutboxSettings
  readonly log: SecretiveLog
}

export function openForOwner(owner: Owner): Opened {
  const { accounts, content, directory, id, writes, requireDigest, sets, token, outbox, log } = owner
  if (token !== undefined) log.hide(token)
  const policy = ownerPolicy(writes, requireDigest)
  const visit = (address: string): Visitor => ({ caller: { id, address, policy }, sets })
  const holders = token === undefined ? [] : [{ id, token, visit }]
  return openPostern({
    directory,
    accounts: new Accounts(accounts),
    content,
    audit: openAudit({ directory: join(directory, 'audit') }, directory, log),
    auditDirectory: join(directory, 'audit'),
    household: async () => {
      const { ownerHousehold } = await import('./household.ts')
      const toolsets = sets.map(({ name }) => name)
      return ownerHousehold({ id, writes, toolsets, accounts: accounts.map((account) => account.id) })
    },
    log,
    visitor: visit('stdio'),
    holders: () => holders,
    journal: join(directory, 'wal.db'),
    outbox,
  })
}

/** The accounts of the environment and what `postern import` made, which lies beside the audit log. */
export function ownAccounts(config: EnvironmentConfig, parts: OwnParts): Account[] {
  const { directory } = parts
  const accounts = [
    ...config.accounts.map((account) => imapAccount(account, config, parts)),
    ...localAccounts(join(directory, 'local')).map((id) => localAccount(id, directory)),
  ]
  const ids = accounts.map(({ id }) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice === undefined) return accounts
  throw new Failure('invalid_input', `account "${twice}" is both in the environment and imported; rename one of them`)
}

/** The tool sets that are offered where nobody names any. */
export function usualSets(accounts: readonly Account[]): readonly string[] {
  return accounts.some(({ sender }) => sender !== undefined) ? ['imap', 'outbox'] : ['imap']
}

export interface OwnParts extends MirrorParts {
  readonly log: SecretiveLog
}

export function localAccount(id: string, directory: string): Account {
  const open = async (): Promise<MailSource> => {
    const { createLocalSource } = await import('../adapters/local/source.ts')
    const { databaseFiles: databases } = await import('../adapters/sqlite/database-files.ts')
    return createLocalSource({ path: localDatabase(join(directory, 'local'), id), account: id, databases })
  }
  return { ...LOCAL, id, source: lazily(open) }
}

function imapAccount(
  { id, imap, email, mirror, smtp }: EnvironmentAccount,
  { timeouts, ca }: EnvironmentConfig,
  parts: OwnParts,
): Account {
  const { host, port, tls, user, password } = imap
  let source: ReturnType<typeof createImapSource> | undefined
  const open = once(async () => {
    const { createImapSource: create } = await import('../adapters/imap/source.ts')
    const { fixedPassword } = await import('../engine/credentials/fixed-password.ts')
    const limits = imapTimeouts(timeouts)
    const trust = ca === undefined ? {} : { ca }
    const access = fixedPassword(password)
    source = create(
      { account: id, host, port, tls, user, access, ...limits, ...trust, clientVersion: VERSION },
      parts.log,
    )
    return source
  })
  const server = { host, port, secure: tls === 'implicit', provider: 'imap-standard' } as const
  const address = email === undefined ? {} : { address: email }
  const connections = (): Connections | undefined => source?.connections()
  const sender = smtp === undefined ? {} : smtpSender(id, smtp, passwordOf(smtp), { ca, log: parts.log })
  return mirrored({ id, ...server, source: lazily(open), connections, ...address, ...sender }, mirror, open, parts)
}

export function imapTimeouts({ connectMs, greetingMs, socketMs, appendMs }: Timeouts): Partial<ImapOptions> {
  const limits = { connectTimeoutMs: connectMs, greetingTimeoutMs: greetingMs, socketTimeoutMs: socketMs }
  return appendMs === undefined ? limits : { ...limits, appendTimeoutMs: appendMs }
}

function passwordOf({ password }: { readonly password: string }): Access {
  return lazily(async () => (await import('../engine/credentials/fixed-password.ts')).fixedPassword(password))
}
