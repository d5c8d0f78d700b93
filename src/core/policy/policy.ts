/**
 * What one caller may see and do. A policy is asked, never told: it holds no state and does no I/O.
 */
import type { Level } from './level.ts'

export type Capability = 'mark_seen' | 'mark_tagged' | 'move_out' | 'accept_incoming' | 'draft_append' | 'delete'

export interface FolderPolicy {
  /** The most that any message of the folder could show this caller. */
  readonly ceiling: Level
  readonly capabilities: ReadonlySet<Capability>
}

export interface Policy {
  readonly name: string
  sees(account: string): boolean
  folder(account: string, mailbox: string): FolderPolicy
  /** What an operator would do to open a closed capability; shown to the caller. */
  readonly howToAllow: string
}

const ALL: ReadonlySet<Capability> = new Set([
  'mark_seen',
  'mark_tagged',
  'move_out',
  'accept_incoming',
  'draft_append',
  'delete',
])
const NONE: ReadonlySet<Capability> = new Set()

/** The owner's own policy, for accounts given by environment: everything visible, writes only behind their gate. */
export function ownerPolicy(writes: boolean): Policy {
  const everywhere: FolderPolicy = { ceiling: 'FULL', capabilities: writes ? ALL : NONE }
  return {
    name: 'owner',
    sees: () => true,
    folder: () => everywhere,
    howToAllow: 'set MAIL_IMAP_WRITE_ENABLED=true and restart to allow changes',
  }
}
