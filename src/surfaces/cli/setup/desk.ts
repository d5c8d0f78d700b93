/** What `postern setup` needs of the world. */
import type { KnownAccount, KnownAgents } from '../../../core/setup/agent.ts'
import type { CustomChoice, FolderRoles } from '../../../core/setup/preset.ts'
import type { AccountKind, Server } from '../../../core/setup/servers.ts'
import type { AccountSettings, MirrorDepth, SecretPlace } from '../../../core/setup/tree-change.ts'
import type { FoundServers } from '../../../engine/setup/find-servers.ts'
import type { Tried } from '../../../engine/setup/try-account.ts'
import type { ClientDesk } from '../client-command.ts'

export interface SetUpAccount extends KnownAccount {
  readonly address: string | undefined
  readonly kind: AccountKind | 'other'
  readonly user: string
  readonly imap: Server
  readonly smtp?: Server & { readonly user: string; readonly secretRef?: string }
  /** PEM text of the authority that it trusts. */
  readonly ca?: string
  readonly auth: 'password' | 'xoauth2'
  readonly secretRef: string
  readonly mirror: MirrorDepth
}

export interface CurrentTree extends KnownAgents {
  readonly accounts: readonly SetUpAccount[]
  /** Where its secrets are, in words. */
  readonly secretsIn: string
}

/** A login that nothing is kept of. */
export interface Trial {
  readonly imap: Server
  readonly user: string
  readonly password: string
  readonly caFile?: string
  /** PEM text, where no file is named. */
  readonly ca?: string
  readonly smtp?: { readonly server: Server; readonly user: string; readonly password: string }
}

export interface SetupWish {
  readonly account: AccountSettings
  readonly secrets: SecretPlace
  readonly caller: string
  readonly policy: string
  readonly sends: boolean
  /** Absent where what the policy says of the account stays. */
  readonly access?: CustomChoice
  /** Absent where they are not known yet, since nobody has logged in. */
  readonly roles?: FolderRoles
  /** Absent where it stays as it is, or where access is granted in a browser. */
  readonly password?: string
  readonly smtpPassword?: string
}

/** A person grants access in a browser. */
export interface GrantSteps {
  readonly paste: boolean
  show(url: string): void
  pasted(signal: AbortSignal): Promise<string>
}

export interface SetupDesk {
  /** How a person starts this program, for hints. */
  readonly program: string
  /** Where the tree is, or will be. */
  readonly directory: string
  /** `Failure` where there is one that cannot be loaded. */
  current(): CurrentTree | undefined
  find(address: string, signal: AbortSignal): Promise<FoundServers>
  hasKeychain(): Promise<boolean>
  /** A secret from a file, or from stdin for `-`. */
  readSecret(path: string, signal: AbortSignal): Promise<string>
  /** A secret that the tree keeps already. */
  kept(ref: string): Promise<string>
  /** Logs in and looks around; nothing is written. */
  trial(trial: Trial, signal: AbortSignal): Promise<Tried>
  /** Whole or not at all. Where access has to be granted, that and the login come before anything is in place. */
  write(wish: SetupWish, steps: GrantSteps, signal: AbortSignal): Promise<{ readonly backup?: string }>
  remove(account: string): Promise<Removed>
  /** A real call with the tree as it was written. */
  look(account: string, signal: AbortSignal): Promise<Tried>
  readonly clients: ClientDesk
}

export interface Removed {
  readonly backup?: string
  /** Whether any account is left. */
  readonly left: number
  /** What somebody has to remove by hand. */
  readonly leftovers: readonly string[]
}
