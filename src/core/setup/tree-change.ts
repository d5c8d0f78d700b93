/** What setting up an account changes in a configuration tree. */
import type { AccessPlan } from './preset.ts'
import type { AccountKind, Server } from './servers.ts'

export type MirrorDepth = 'off' | 'headers' | 'full'
export type SecretPlace = 'keychain' | 'file'

export interface AccountSettings {
  readonly id: string
  readonly kind: AccountKind
  readonly address: string
  readonly user: string
  /** Absent where the kind says it. */
  readonly imap?: Server
  /** Absent where the kind says it, or where the account is not to send. */
  readonly smtp?: Server
  /** Where it differs from `user`. */
  readonly smtpUser?: string
  /** Of a password of its own. */
  readonly smtpSecretRef?: string
  readonly caFile?: string
  readonly auth: 'password' | 'xoauth2'
  readonly secretRef: string
  readonly mirror: MirrorDepth
}

export interface TreeChange {
  readonly account: AccountSettings
  /** Only for a tree that has no secret store yet. */
  readonly secrets: SecretPlace
  readonly agent: AgentChange
}

export interface AgentChange {
  readonly caller: string
  readonly policy: string
  /** Absent where what the policy says of the account stays. */
  readonly plan?: AccessPlan
  /** Whether anything may be sent under this policy, from any account. */
  readonly sends: boolean
}

/** A caller's tool sets: without anything to send, those for sending would only be in the way. */
export function toolsetsFor(sends: boolean): readonly string[] {
  return sends ? ['inbox', 'outbox'] : ['inbox']
}

export function passwordRef(account: string): string {
  return `secret://accounts/${account}/password`
}

export function smtpPasswordRef(account: string): string {
  return `secret://accounts/${account}/smtp-password`
}

export function refreshTokenRef(account: string): string {
  return `secret://accounts/${account}/refresh-token`
}

const LONGEST_ID = 32

/** Short and plain, after the domain, where nobody chose one: `example` for ada@example.org, `gmail-ada` beside `gmail`. */
export function accountIdFor(address: string, taken: ReadonlySet<string>): string {
  const at = address.lastIndexOf('@')
  const domain = slug(
    address
      .slice(at + 1)
      .split('.')
      .at(0) ?? '',
  )
  const local = slug(address.slice(0, at))
  const both = [domain, local].filter((part) => part !== '').join('-')
  const wishes = [domain, both].map((wish) => wish.slice(0, LONGEST_ID)).filter((wish) => wish !== '')
  const free = wishes.find((wish) => !taken.has(wish))
  if (free !== undefined) return free
  const base = wishes[0] ?? 'mail'
  for (let number = 2; ; number += 1) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
}
