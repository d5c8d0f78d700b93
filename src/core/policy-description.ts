/** What a caller is told of its own policy. */
import type { Capability } from './policy/folder.ts'
import type { Level } from './policy/level.ts'

/** Absent where the policy conceals what is hidden. */
export type HiddenCount = number | undefined

export type Provider = 'imap-standard' | 'google' | 'gmail' | 'microsoft' | 'local'

export interface PolicyDescription {
  readonly callerId: string
  readonly accounts: readonly DescribedAccount[]
  readonly hiddenAccounts: HiddenCount
}

export interface DescribedAccount {
  readonly id: string
  readonly provider: Provider
  readonly tokenCache: 'memory_only' | 'persist_all'
  readonly folders: readonly DescribedFolder[]
  readonly hiddenFolders: HiddenCount
}

export interface DescribedFolder {
  readonly path: string
  readonly mode: 'whitelist' | 'blacklist'
  readonly default: Level
  readonly ceiling: Level
  readonly capabilities: readonly Capability[]
  readonly rules: number
}
