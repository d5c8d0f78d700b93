/**
 * What the console's server side answers, and what the page may ask: the contract between the two.
 *
 * INVARIANT: every string that came with mail is plain text in which what nobody would see is written out; the page shows it
 * as text and as nothing else. Times are ISO 8601. Lists begin with the newest.
 */
import type { HtmlVersion, Unseen, Version } from './outgoing-types.ts'

export interface Session {
  readonly user: string
  readonly csrf: string
  readonly version: string
  readonly devMode: boolean
  readonly host: string
  /** What a person types on that machine to start Postern. */
  readonly program: string
}

export type LetterState =
  | 'waiting'
  | 'approved'
  | 'claimed'
  | 'sent'
  | 'failed'
  | 'needs_operator'
  | 'rejected'
  | 'expired'

export interface Person {
  /** Empty where there is none. */
  readonly name: string
  readonly address: string
}

export interface RecipientMark {
  readonly address: string
  readonly mark: 'new' | 'look_alike' | 'repeated'
  /** Whom it looks like. */
  readonly like?: string
}

export interface Attachment {
  readonly filename: string
  readonly type: string
  readonly size: number
  /** SHA-256 in hex. */
  readonly digest: string
}

export interface Approval {
  readonly via: 'file' | 'command' | 'console' | 'elicitation' | 'flow' | 'policy'
  readonly by: string
  readonly at: string
}

export interface Letter {
  readonly id: string
  readonly state: LetterState
  readonly caller: string
  readonly account: string
  readonly from: Person
  readonly to: readonly Person[]
  readonly cc: readonly Person[]
  readonly bcc: readonly Person[]
  readonly subject: string
  readonly created: string
  readonly expires: string
  readonly marks: readonly RecipientMark[]
  readonly attachments: readonly Attachment[]
  readonly digest: string
  /** Where a person has made it from another message. */
  readonly version?: Version
  /** Why it was rejected, failed, or was not sent when last tried. */
  readonly reason?: string
  readonly rejectedBy?: string
  readonly endedAt?: string
  readonly approval?: Approval
}

export interface LetterDetail extends Letter {
  /** All of the text that is read at the other end. */
  readonly text: string
  /** The HTML version, where there is one. */
  readonly html?: HtmlVersion
  /** What its recipients will not see: it has to be acknowledged. */
  readonly unseen: readonly Unseen[]
  /** Whose mail its caller has read within a day, those read most often first. */
  readonly readers: readonly string[]
  /** And that of others, whose names were forgotten or never known. */
  readonly unknownReaders: boolean
  /** All of the message as `postern outbox ID` prints it. */
  readonly presented: string
}

export interface Outbox {
  readonly letters: readonly Letter[]
}

/** The answer to `look`: whether a copy lies among what was sent. */
export interface Looked {
  readonly found: boolean
}

export interface ActivityRecord {
  /** Its day and its number. */
  readonly id: string
  readonly ts: string
  readonly caller_id: string
  readonly caller_addr: string
  readonly tool: string
  readonly args_summary: Readonly<Record<string, unknown>>
  readonly decision: 'ALLOW' | 'DENY'
  readonly reason: string
  readonly visibility_granted: string | null
  readonly redacted_fields: readonly string[]
  readonly tx_id: string | null
  readonly result: 'OK' | 'PARTIAL' | 'ERROR' | 'INTENT' | 'DENIED'
  readonly error_type: string | null
  readonly latency_ms: number
}

export interface Chain {
  readonly state: 'ok' | 'broken' | 'unknown'
  /** How many records were checked. */
  readonly checkedUpTo?: number
  readonly checkedAt?: string
  /** In words. */
  readonly firstBad?: string
}

export interface Activity {
  readonly records: readonly ActivityRecord[]
  readonly chain: Chain
  /** Whether there are older ones. */
  readonly more: boolean
}

export interface FolderAccess {
  readonly path: string
  readonly mode: string
  readonly default: string
  /** The most that any message in it may show. */
  readonly ceiling: string
  readonly capabilities: readonly string[]
  /** In plain words. */
  readonly rules: readonly string[]
}

export interface CallerAccess {
  readonly id: string
  readonly policy: string
  readonly toolsets: readonly string[]
  readonly send: { readonly approval: string; readonly trusted: readonly string[] }
  /** Its policy in plain words. */
  readonly words: readonly string[]
  readonly accounts: readonly { readonly id: string; readonly folders: readonly FolderAccess[] }[]
}

export interface Access {
  readonly callers: readonly CallerAccess[]
}

export interface SimulationStep {
  readonly words: string
  readonly matched: boolean | 'cannot be evaluated'
  readonly level: string
}

export interface Simulation {
  readonly level: string
  readonly reason: string
  /** The folder's entry in the policy, and its rules in the order in which they are written. */
  readonly path: string
  readonly mode: string
  readonly default: string
  readonly steps: readonly SimulationStep[]
  readonly subject?: string
  readonly from?: string
}

export type LevelCounts = Readonly<Record<string, number>>

export interface PolicyChange {
  readonly caller: string
  readonly account: string
  readonly mailbox: string
  readonly before: LevelCounts
  readonly after: LevelCounts
  readonly examples: readonly ChangedMessage[]
}

export interface ChangedMessage {
  readonly uid: number
  readonly before: string
  readonly after: string
  readonly subject: string
  readonly from: string
}

export interface PolicyProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface SettingChange {
  readonly caller: string
  /** Where the setting is one of a folder. */
  readonly account?: string
  readonly mailbox?: string
  readonly setting: string
  readonly before: string
  readonly after: string
  /** Whether the agent may do or see more, or less. */
  readonly effect: 'more' | 'less' | 'other'
  /** Why nobody should overlook it. */
  readonly danger?: string
}

export interface PolicyDiff {
  /** What is wrong with the text; then there are no changes. */
  readonly problems: readonly PolicyProblem[]
  /** The loudest first. */
  readonly settings: readonly SettingChange[]
  readonly changes: readonly PolicyChange[]
  readonly looked: { readonly folders: number; readonly messages: number }
  /** The name of the policy; empty for a list of callers. */
  readonly policy: string
  /** Accounts that could not be asked, and why. */
  readonly unreached: readonly { readonly account: string; readonly message: string }[]
}

export interface SyncState {
  readonly mailbox: string
  readonly done: number
  readonly total: number
  /** Messages a second. */
  readonly rate: number
}

export interface AccountState {
  readonly id: string
  readonly address?: string
  readonly provider: string
  /** `no_server` is one that lives on this machine. */
  readonly state: 'connected' | 'not_connected' | 'no_server' | 'needs_consent'
  readonly host: string
  readonly connections?: { readonly open: number; readonly busy: number; readonly watching: number }
  readonly mirror?: MirrorState
  readonly canSend: boolean
  /** Why the last message could not be sent, where the next one could not, either. */
  readonly sendingProblem?: string
}

export interface MirrorState {
  readonly depth: 'headers' | 'full' | 'unknown'
  readonly folders: number
  readonly messages: number
  /** How many of them can be found by their words. */
  readonly indexed: number
  readonly problem?: string
  readonly sync?: SyncState
}

export interface Accounts {
  readonly accounts: readonly AccountState[]
}

export interface TransferState {
  readonly id: string
  readonly status: 'pending' | 'staged' | 'committed' | 'aborted' | 'needs_operator'
  readonly operation: 'move' | 'copy'
  readonly caller: string
  readonly source: { readonly account: string; readonly mailbox: string; readonly uid: number }
  readonly destination: { readonly account: string; readonly mailbox: string }
  readonly created: string
  readonly committed?: string
  readonly retries: number
  readonly error?: string
  /** The IMAP response code with which a server explained it. */
  readonly responseCode?: string
  /** What may be its copy at the destination. */
  readonly unproven?: 'acknowledged' | 'similar'
}

export interface Transfers {
  readonly transfers: readonly TransferState[]
}

export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string }
}

/** The kinds of server-sent events. */
export const TOPICS = ['outbox', 'activity', 'accounts', 'transfers'] as const

export type Topic = (typeof TOPICS)[number]
