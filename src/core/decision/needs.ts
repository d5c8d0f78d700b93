/**
 * What each kind of action asks of a policy. The compiler checks that no kind is forgotten.
 */
import type { Action, ActionKind, ActionOf } from '../action.ts'
import type { MessageRef } from '../message-id.ts'
import type { Capability } from '../policy/folder.ts'
import type { Level } from '../policy/level.ts'

/** A folder that an action touches. */
export interface Place {
  readonly account: string
  readonly mailbox: string
  /** The level without which the action is of no use there. */
  readonly level: Level
  readonly capabilities: readonly Capability[]
  /** The one message that is meant; absent where it is the folder. */
  readonly message?: MessageRef
}

export interface Needs {
  /** An account that must be visible, beside those of the places. */
  readonly account?: string
  readonly places: readonly Place[]
  /** Whether the mail server has to be asked, so that an account without valid access is of no use. */
  readonly online: boolean
  /** Whether something would leave for other people. */
  readonly sends?: boolean
}

const NOWHERE: Needs = { places: [], online: false }

const NEEDS: { readonly [K in ActionKind]: (action: ActionOf<K>) => Needs } = {
  list_accounts: () => NOWHERE,
  describe_policy: () => NOWHERE,
  identify_caller: () => NOWHERE,
  transaction_status: () => NOWHERE,
  verify_account: ({ account }) => ({ account, places: [], online: true }),
  list_mailboxes: ({ account }) => ({ account, places: [], online: true }),
  list_folders: ({ account }) => ({ account, places: [], online: true }),
  list_labels: ({ account }) => ({ account, places: [], online: true }),
  folder_stats: (action) => at(folder(action, 'COUNT')),
  search: (action) => at(folder(action, 'METADATA')),
  browse: (action) => at(folder(action, 'METADATA')),
  find_mail: ({ account, mailbox }) =>
    mailbox === undefined ? { account, places: [], online: true } : at(folder({ account, mailbox }, 'METADATA')),
  read_message: ({ message, needs }) => at(one(message, needs)),
  read_raw: ({ message }) => at(one(message, 'FULL')),
  read_attachment: ({ message }) => at(one(message, 'FULL')),
  update_flags: (action) => at(one(action.message, 'COUNT', flagCapabilities(action))),
  mark_seen: ({ message }) => at(one(message, 'NONE', ['mark_seen'])),
  tag_message: ({ message }) => at(one(message, 'NONE', ['mark_tagged'])),
  mark_many: ({ from, change }) =>
    at(folder(from, 'NONE', [change.kind === 'mark_seen' ? 'mark_seen' : 'mark_tagged'])),
  copy_message: ({ message, to, blind }) => at(one(message, blind ? 'NONE' : 'COUNT'), into(to)),
  move_message: ({ message, to, blind }) => at(one(message, blind ? 'NONE' : 'COUNT', ['move_out']), into(to)),
  relocate_many: ({ operation, from, to }) =>
    at(folder(from, 'NONE', operation === 'move' ? ['move_out'] : []), into(to)),
  delete_message: ({ message }) => at(one(message, 'COUNT', ['delete'])),
  create_draft: (action) => at(folder(action, 'NONE', ['draft_append'])),
  compose_draft: (action) => at(folder(action, 'NONE', ['draft_append'])),
  send_mail: ({ account }) => ({ account, places: [], online: true, sends: true }),
  change_labels: (action) => at(one(action.message, 'COUNT', labelCapabilities(action))),
}

export function needsOf(action: Action): Needs {
  return (NEEDS[action.kind] as (action: Action) => Needs)(action)
}

/** Whether an action changes a mailbox, or the world: then its intent is on record before it happens. */
export function changesMail(action: Action): boolean {
  const { places, sends = false } = needsOf(action)
  return sends || places.some((place) => place.capabilities.length > 0)
}

function at(...places: readonly Place[]): Needs {
  return { places, online: true }
}

function folder(
  { account, mailbox }: { readonly account: string; readonly mailbox: string },
  level: Level,
  capabilities: readonly Capability[] = [],
): Place {
  return { account, mailbox, level, capabilities }
}

function one(message: MessageRef, level: Level, capabilities: readonly Capability[] = []): Place {
  return { ...folder(message, level, capabilities), message }
}

function into(to: { readonly account: string; readonly mailbox: string }): Place {
  return folder(to, 'NONE', ['accept_incoming'])
}

/** A flag that only looks like another one, blanks around it or several in one, needs what that one needs. */
function flagCapabilities({ add, remove }: ActionOf<'update_flags'>): Capability[] {
  const needed = [...add, ...remove].flatMap((flag): Capability[] => {
    const name = flag.toLowerCase()
    const named = SYSTEM_FLAGS.filter(([system]) => name.includes(system)).map(([, capability]) => capability)
    return named.length > 0 ? named : ['mark_tagged']
  })
  return [...new Set(needed)]
}

function labelCapabilities({ add, remove }: ActionOf<'change_labels'>): Capability[] {
  const all = [...add, ...remove].map((label) => label.trim().toLowerCase())
  const seen = all.some((label) => label === 'unread')
  return [
    ...(seen ? ['mark_seen' as const] : []),
    ...(all.some((label) => label !== 'unread') || !seen ? ['mark_tagged' as const] : []),
  ]
}

const SYSTEM_FLAGS: readonly (readonly [string, Capability])[] = [
  ['\\seen', 'mark_seen'],
  ['\\deleted', 'delete'],
]
