/**
 * A configuration tree after loading: validated whole, every reference resolved, every default filled in.
 *
 * INVARIANT: holds no secret, only where each is kept.
 */
import type { UncertainChoice } from '../../core/content.ts'
import type { PolicyDefinition } from '../../core/policy/policy.ts'
import type { Provider } from '../../core/policy-description.ts'

export interface Tree {
  readonly directory: string
  readonly accounts: readonly TreeAccount[]
  readonly callers: readonly TreeCaller[]
  /** By name. */
  readonly policies: ReadonlyMap<string, PolicyDefinition>
  readonly secretStore: SecretStoreSettings
  readonly audit: AuditSettings
  readonly walPath: string
  /** How many clients at once may have a server of their own with the tool set `inbox`. */
  readonly connections: number | undefined
  /** Where people approve letters; absent for its usual place in the data directory. */
  readonly vault: string | undefined
  readonly attachments: AttachmentSettings
  /** What is legal and probably not meant: told, no reason not to start. With file and line. */
  readonly warnings: readonly string[]
}

export interface AttachmentSettings {
  /** Chosen by the user: files stay there. Absent for a directory of ours, where they go after an hour. */
  readonly directory: string | undefined
  /** In bytes. */
  readonly saveAbove: number | undefined
}

export type Tls = 'implicit' | 'starttls' | 'none'

export interface TreeAccount {
  readonly id: string
  readonly provider: Provider
  /** Not used by `local` accounts; of `gmail` accounts it is that of the API. */
  readonly host: string
  readonly port: number
  readonly tls: Tls
  readonly user: string
  /** The account's own address, where it is known. */
  readonly identity: string | undefined
  /** PEM text of a private certificate authority, trusted beside the system's. */
  readonly ca: string | undefined
  /** Absent for `local` accounts. */
  readonly auth: AccountAuth | undefined
  readonly tokenCache: 'memory_only' | 'persist_all'
  /** The name under which the receiving server reports who a sender is. */
  readonly authservId: string | undefined
  readonly mirror: 'off' | 'headers' | 'full'
  /** Absent where it cannot send that way. A `gmail` account has none: it sends through the API. */
  readonly smtp: TreeSmtp | undefined
  /** Where Gmail's API is, where that is not at Google; without a slash at its end. */
  readonly endpoint?: string
  /** `google-mock`, or Gmail's API elsewhere: the endpoints of OAuth come from `IMAP_MCP_OAUTH_*`. */
  readonly mock: boolean
}

export type AccountAuth =
  | { readonly type: 'password'; readonly secretRef: string }
  | { readonly type: 'xoauth2'; readonly secretRef: string; readonly scope: string | undefined }

export interface TreeSmtp {
  readonly host: string
  readonly port: number
  readonly tls: Tls
  readonly user: string
  /** Of a password of its own; absent where the account's own login serves, password or token. */
  readonly secretRef: string | undefined
}

export interface TreeCaller {
  readonly id: string
  /** The name of a policy that exists. */
  readonly policy: string
  readonly auth: { readonly type: 'stdio_trusted' } | { readonly type: 'shared_token'; readonly secretRef: string }
  /** As written; absent for the default. */
  readonly toolsets: readonly string[] | undefined
  readonly limits: CallerLimits | undefined
  readonly hideDeniedTools: boolean
  /** What it is given of text that a person may not see. */
  readonly uncertain: UncertainChoice
}

export interface CallerLimits {
  readonly perMinute?: number
  readonly perHour?: number
}

export type SecretStoreSettings =
  | { readonly backend: 'file_dir'; readonly path: string }
  | { readonly backend: 'env_var' }
  | {
      readonly backend: 'gpg_file'
      readonly path: string
      readonly recipient: string | undefined
      readonly gnupghome: string | undefined
    }
  | { readonly backend: 'keychain' }

export interface AuditSettings {
  readonly directory: string
  readonly hotDays: number
  readonly warmDays: number
  readonly deleteAfterDays: number
  /** A program, run without a shell. */
  readonly externalRootHook: string | undefined
}
