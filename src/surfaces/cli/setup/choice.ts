/** What the command line says to `postern setup`; whatever is absent is asked. */
import type { Level } from '../../../core/policy/level.ts'
import type { Deed, PresetName } from '../../../core/setup/preset.ts'
import type { Tls } from '../../../core/setup/servers.ts'
import type { MirrorDepth, SecretPlace } from '../../../core/setup/tree-change.ts'

export interface SetupChoice {
  readonly config?: string
  /** Nobody is asked: what is not said gets its usual answer. */
  readonly yes: boolean
  readonly address?: string
  readonly account?: string
  readonly user?: string
  readonly auth?: 'password' | 'oauth'
  readonly passwordFile?: string
  readonly paste: boolean
  readonly imapHost?: string
  readonly imapPort?: number
  readonly imapTls?: Tls
  readonly smtpHost?: string
  readonly smtpPort?: number
  readonly smtpTls?: Tls
  readonly smtpUser?: string
  readonly smtpPasswordFile?: string
  readonly caFile?: string
  readonly preset?: PresetName
  readonly folders?: readonly string[]
  readonly level?: Level
  readonly may?: readonly Deed[]
  readonly mirror?: MirrorDepth
  readonly secrets?: SecretPlace
  readonly caller?: string
  /** Clients to configure; empty for none. */
  readonly client?: readonly string[]
  /** The account that is to go. */
  readonly remove?: string
}
