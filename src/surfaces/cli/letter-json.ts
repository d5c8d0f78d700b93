/** Letters of the outbox for scripts, with the names that files in the vault use. */

import type { StrictAddress } from '../../core/compose/strict-address.ts'
import type { EntryState, OutboxEntry } from '../../core/outbox/entry.ts'
import type { ShownLetter } from '../../engine/outbox/desk.ts'
import { escapedJson } from './escaped.ts'

/** One line. */
export function letterJson(
  entry: OutboxEntry,
  shown?: Pick<ShownLetter, 'text' | 'review' | 'readers' | 'unknownReaders'>,
): string {
  const { id, digest, messageId, created, expires, marks, state, sending } = entry
  const { kind, caller, account, from, to, cc, bcc, subject, attachments, thread, version } = sending
  return `${escapedJson({
    id,
    state: state.kind,
    ...stateFacts(state),
    type: kind === 'reply' ? 'email_reply' : 'email_send',
    caller,
    account,
    from: from.address,
    to: addresses(to),
    cc: addresses(cc),
    bcc: addresses(bcc),
    subject,
    attachments: attachments.map(({ filename, type, size, digest: sha256 }) => ({ filename, type, size, sha256 })),
    thread_id: thread?.id ?? null,
    message_id: messageId,
    digest,
    ...(version && { version }),
    marks,
    created: isoTime(created),
    expires: isoTime(expires),
    ...(shown && {
      unseen: shown.review.unseen,
      text: shown.text,
      read_mail_of: shown.readers,
      read_mail_of_others: shown.unknownReaders,
    }),
  })}\n`
}

function stateFacts(state: EntryState): object {
  return {
    ...('at' in state && { at: isoTime(state.at) }),
    ...('approval' in state && { approval: { ...state.approval, at: isoTime(state.approval.at) } }),
    ...('reason' in state && state.reason !== undefined && { reason: state.reason }),
    ...(state.kind === 'approved' && state.lastFailure !== undefined && { last_failure: state.lastFailure }),
    ...(state.kind === 'rejected' && { by: state.by }),
    ...(state.kind === 'sent' && { refused: state.refused, filed: state.filed }),
  }
}

function addresses(people: readonly StrictAddress[]): readonly string[] {
  return people.map(({ address }) => address)
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}
