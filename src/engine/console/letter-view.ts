/**
 * A letter of the outbox as the console is told of it.
 *
 * INVARIANT: every text in it is one line in which nothing is unseen.
 */
import type { StrictAddress } from '../../core/compose/strict-address.ts'
import type { Approval, EntryKind, EntryState, OutboxEntry, RecipientMark } from '../../core/outbox/entry.ts'
import type { AttachedFile, Version } from '../../core/outbox/sending.ts'
import { writeLineOut } from '../../core/outbox/written-out.ts'

export interface LetterView {
  readonly id: string
  readonly state: EntryKind
  readonly caller: string
  readonly account: string
  readonly from: PersonView
  readonly to: readonly PersonView[]
  readonly cc: readonly PersonView[]
  readonly bcc: readonly PersonView[]
  readonly subject: string
  readonly created: string
  readonly expires: string
  readonly marks: readonly RecipientMark[]
  readonly attachments: readonly AttachedFile[]
  readonly digest: string
  /** Where a person has made it from another message. */
  readonly version?: Version
  /** Why it failed or was rejected, or was not sent when last tried. */
  readonly reason?: string
  readonly rejectedBy?: string
  readonly endedAt?: string
  readonly approval?: ApprovalView
}

export interface PersonView {
  readonly name: string
  readonly address: string
}

export interface ApprovalView {
  readonly via: Approval['via']
  readonly by: string
  readonly at: string
}

export function letterView({ id, digest, created, expires, marks, state, sending }: OutboxEntry): LetterView {
  const { caller, account, from, to, cc, bcc, subject, attachments } = sending
  return {
    id,
    state: state.kind,
    caller,
    account,
    from: person(from),
    to: to.map(person),
    cc: cc.map(person),
    bcc: bcc.map(person),
    subject: writeLineOut(subject),
    created: time(created),
    expires: time(expires),
    marks: marks.map(markView),
    attachments: attachments.map((file) => ({ ...file, filename: writeLineOut(file.filename) })),
    digest,
    ...(sending.version && { version: { ...sending.version, by: writeLineOut(sending.version.by) } }),
    ...stateFacts(state),
  }
}

function stateFacts(state: EntryState): Pick<LetterView, 'reason' | 'rejectedBy' | 'endedAt' | 'approval'> {
  const reason = state.kind === 'approved' ? state.lastFailure : 'reason' in state ? state.reason : undefined
  return {
    ...('approval' in state && { approval: approvalView(state.approval) }),
    ...(reason !== undefined && { reason: writeLineOut(reason) }),
    ...(state.kind === 'rejected' && { rejectedBy: writeLineOut(state.by) }),
    ...('at' in state && state.kind !== 'claimed' && { endedAt: time(state.at) }),
  }
}

function approvalView({ via, by, at }: Approval): ApprovalView {
  return { via, by: writeLineOut(by), at: time(at) }
}

function person({ name, address }: StrictAddress): PersonView {
  return { name: writeLineOut(name), address: writeLineOut(address) }
}

/** Whom an address looks like is known from mail that others wrote. */
function markView({ address, mark, like }: RecipientMark): RecipientMark {
  return { address: writeLineOut(address), mark, ...(like !== undefined && { like: writeLineOut(like) }) }
}

function time(at: number): string {
  return new Date(at).toISOString()
}
