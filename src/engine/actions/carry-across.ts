/** Copies or moves messages to another account, by a transfer each. */

import { ABSENT_DESTINATION } from '../../core/absent.ts'
import type { Destination } from '../../core/action.ts'
import type { MessageRef } from '../../core/message-id.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import { reasonOf } from '../../core/response-codes.ts'
import type { Issue, Relocation } from '../../core/results.ts'
import type { Operation, Transfer, UnprovenCopy } from '../../core/transfer/transfer.ts'
import type { Workshop } from './workshop.ts'

/** What they were when they were judged. */
export interface Judgement {
  levelOf(uid: number): Level
  readonly starred?: ReadonlyMap<number, boolean>
  readonly sizes?: ReadonlyMap<number, number>
}

/** Of one message. */
export function judgedAlone(uid: number, level: Level, starred: boolean | undefined): Judgement {
  return { levelOf: () => level, ...(starred !== undefined && { starred: new Map([[uid, starred]]) }) }
}

export async function carryAcross(
  operation: Operation,
  from: Omit<MessageRef, 'uid'>,
  uids: readonly number[],
  to: Destination,
  { levelOf, ...judged }: Judgement,
  { transfers, accounts, callerId, signal }: Workshop,
): Promise<readonly Relocation[]> {
  const readable = new Set(uids.filter((uid) => atLeast(levelOf(uid), 'ENVELOPE')))
  const carried = await transfers.carry({ callerId, operation, from, uids, to, readable, ...judged }, accounts, signal)
  return carried.map(relocationOf)
}

/** The steps of a transfer: fetched, arrived and read back, and for a move the original removed. */
function relocationOf(transfer: Transfer): Relocation {
  const { operation, content, targetUid, targetUidvalidity: uidvalidity, sourceGone, destination, txId } = transfer
  const arrived = targetUid !== undefined
  const steps = [content !== undefined, arrived, ...(operation === 'move' ? [sourceGone === 'yes'] : [])]
  return {
    mechanism: 'saga',
    txId,
    changed: arrived,
    attempted: steps.length,
    succeeded: steps.filter((done) => done).length,
    created: arrived && uidvalidity !== undefined ? { ...destination, uidvalidity, uid: targetUid } : undefined,
    issues: [...(transfer.status === 'committed' ? leftover(transfer) : [issueOf(transfer)])],
  }
}

function leftover({ operation, sourceGone }: Transfer): readonly Issue[] {
  if (operation === 'copy' || sourceGone === 'yes') return []
  const message = 'the server of the original cannot expunge a single message (no UIDPLUS): it stays, flagged \\Deleted'
  return [{ code: 'unsupported', stage: 'expunge', message, retryable: false, transferError: 'source_delete_failed' }]
}

const STAGES: Readonly<Record<string, readonly [code: string, stage: string, words: string]>> = {
  uid_not_found: ['not_found', 'fetch', 'there is no such message in the mailbox any more'],
  uid_stale: ['conflict', 'fetch', 'the mailbox was rebuilt on the server; search again'],
  folder_not_found: ['not_found', 'select', 'the mailbox of the message does not exist'],
  fetch_failed: ['unavailable', 'fetch', 'the message could not be fetched'],
  auth_failed: ['auth_failed', 'connect', 'the server refused the user name or password'],
  timeout: ['timeout', 'fetch', 'the server of the message did not answer in time'],
  target_folder_missing: ['not_found', 'append', ABSENT_DESTINATION],
  target_append_failed: ['rejected', 'append', 'the destination did not take the message as it is'],
  target_append_timeout: ['outcome_unknown', 'append', 'no answer came from the destination'],
  target_unreachable: ['unavailable', 'append', 'the destination could not be reached'],
  source_delete_failed: ['unavailable', 'expunge', 'the copy is safe, but the original could not be removed'],
}

const UNPROVEN: Readonly<Record<UnprovenCopy['kind'], string>> = {
  acknowledged: 'the destination took the message, but what it stores is not the same',
  similar: 'no answer came from the destination, and a message there is like this one but not the same',
}

const OUTLOOK: Readonly<Record<Transfer['status'], string>> = {
  pending: '; it is tried again without being asked',
  staged: '; it is tried again without being asked',
  needs_operator: '; whoever runs this server has to look',
  aborted: '; nothing was changed',
  committed: '',
}

/** Nothing has failed, but a call has only so much time. */
const UNDER_WAY: Issue = {
  code: 'outcome_unknown',
  stage: 'transfer',
  message: 'the transfer is still under way and goes on by itself; do not repeat it: ask for its state later',
  retryable: false,
  transferError: 'timeout',
}

/** Whoever asks again would have it copied twice, so none of these is to be retried. */
function issueOf(transfer: Transfer): Issue {
  const { status, lastError, responseCode, unproven } = transfer
  if (lastError === undefined) return UNDER_WAY
  const [code, stage, usual] = STAGES[lastError] ?? ['unavailable', 'transfer', 'the message could not be carried']
  const words = lastError === 'target_append_failed' && unproven !== undefined ? UNPROVEN[unproven.kind] : usual
  const whose = lastError === 'auth_failed' ? ` of account ${turnOf(transfer)}` : ''
  const reason = reasonOf(responseCode)
  const message = words + whose + (reason === undefined ? '' : ` (${reason})`) + OUTLOOK[status]
  const said = responseCode === undefined ? {} : { responseCode }
  return { code, stage, message, retryable: false, transferError: lastError, ...said }
}

/** The account that was to answer. */
function turnOf({ content, source, destination }: Transfer): string {
  return content === undefined ? source.account : destination.account
}
