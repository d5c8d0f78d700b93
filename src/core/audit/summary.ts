/**
 * What the record keeps of a call's arguments.
 *
 * INVARIANT: a function of what was asked alone, never of what was found, so that the summary of a call about a hidden
 * message is the summary of one about a missing message. No query, file name or text of any mail.
 */
import type { Action, BrowseAction, SendMailAction, UpdateFlagsAction } from '../action.ts'
import { canonicalCriteria } from '../criteria.ts'
import { unreachable } from '../failure.ts'
import type { MessageRef } from '../message-id.ts'
import { redactedAddress } from '../text/redacted-address.ts'
import { canonicalJson } from './chain.ts'
import type { ArgsSummary } from './record.ts'

/** `digest` is SHA-256 in hex. */
export function summarise(action: Action, digest: (text: string) => string): ArgsSummary {
  switch (action.kind) {
    case 'list_accounts':
    case 'describe_policy':
    case 'identify_caller':
    case 'transaction_status':
      return {}
    case 'verify_account':
    case 'list_mailboxes':
    case 'list_folders':
    case 'list_labels':
      return { account: action.account }
    case 'folder_stats':
    case 'create_draft':
    case 'compose_draft':
      return placeOf(action)
    case 'send_mail':
      return sendingOf(action)
    case 'browse':
      return { ...placeOf(action), search_query_digest: digest(browsed(action)) }
    case 'find_mail':
      return {
        account: action.account,
        ...(action.mailbox !== undefined && { folder: action.mailbox }),
        search_query_digest: digest(canonicalJson({ query: action.query })),
      }
    case 'search':
      return { ...placeOf(action), search_query_digest: digest(canonicalCriteria(action.criteria)) }
    case 'read_message':
    case 'read_raw':
    case 'delete_message':
      return messageOf(action.message)
    case 'read_attachment':
      return { ...messageOf(action.message), ...partOf(action.part) }
    case 'mark_seen':
      return { ...messageOf(action.message), seen: action.seen }
    case 'tag_message':
      return { ...messageOf(action.message), tags: action.tags, mode: action.mode }
    case 'change_labels':
    case 'update_flags':
      return { ...messageOf(action.message), ...flagsOf(action) }
    case 'mark_many': {
      const { kind: _kind, ...how } = action.change
      return { ...placeOf(action.from), uid: action.uids, ...how }
    }
    case 'relocate_many':
      return { ...placeOf(action.from), uid: action.uids, mode: action.operation, target: placeOf(action.to) }
    case 'copy_message':
    case 'move_message':
      return { source: messageOf(action.message), target: placeOf(action.to) }
    default:
      return unreachable(action)
  }
}

/** Who gets it is on record so that a person can tell letters apart, and not so that anybody is written to from it. */
function sendingOf({ account, letter, answers }: SendMailAction): ArgsSummary {
  const { to, cc, bcc = [] } = letter
  const everybody = [...to, ...cc, ...bcc].map(redactedAddress)
  return {
    account,
    ...(everybody.length > 0 && { to: everybody }),
    ...(answers !== undefined && { thread_id: threadName(answers.thread) }),
  }
}

/** A name that no provider gives may be anything that the caller knows. */
function threadName(thread: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(thread) ? thread : 'unknown'
}

function messageOf({ account, mailbox, uid }: MessageRef): { account: string; folder: string; uid: number } {
  return { account, folder: mailbox, uid }
}

function placeOf({ account, mailbox }: Pick<MessageRef, 'account' | 'mailbox'>): { account: string; folder: string } {
  return { account, folder: mailbox }
}

function browsed({ match, query }: BrowseAction): string {
  return canonicalJson(query === undefined ? match : { ...match, query })
}

// A part may be asked for by its file name, and file names stay out of the record.
const PART_NUMBER = /^[0-9]{1,9}(\.[0-9]{1,9}){0,50}$/

function partOf(part: string | undefined): ArgsSummary {
  return part !== undefined && PART_NUMBER.test(part) ? { part_id: part } : {}
}

/** One list where only one is given; else each flag with the sign of what happens to it. */
function flagsOf({ add, remove }: Pick<UpdateFlagsAction, 'add' | 'remove'>): ArgsSummary {
  if (remove.length === 0) return { tags: add, mode: 'add' }
  if (add.length === 0) return { tags: remove, mode: 'remove' }
  return { tags: [...remove.map((flag) => `-${flag}`), ...add.map((flag) => `+${flag}`)], mode: 'remove_and_add' }
}
