/** A transfer as a row, and back. */
import type { Content, Fence, Transfer, UnprovenCopy } from '../../core/transfer/transfer.ts'

/** What no step ever changes. */
interface IntentColumns {
  readonly tx_id: string
  readonly created_at: number
  readonly caller_id: string
  readonly operation: Transfer['operation']
  readonly src_account: string
  readonly src_folder: string
  readonly src_uid: number
  readonly src_uidvalidity: number
  readonly dst_account: string
  readonly dst_folder: string
  /** Whether the caller could read the envelope of the message. */
  readonly readable: 0 | 1
  /** Null where it does not matter. */
  readonly starred: 0 | 1 | null
}

interface StateColumns {
  readonly status: Transfer['status']
  readonly committed_at: number | null
  readonly message_id: string | null
  readonly content_hash: string | null
  readonly size: number | null
  readonly flags: string | null
  readonly received: number | null
  readonly fence_uidvalidity: number | null
  readonly fence_uidnext: number | null
  readonly target_uid: number | null
  readonly target_uidvalidity: number | null
  readonly source_gone: Transfer['sourceGone']
  readonly retry_count: number
  readonly last_error: string | null
  readonly response_code: string | null
  /** Of a message at the destination that is not proven to be the copy. */
  readonly unproven: UnprovenCopy['kind'] | null
  readonly unproven_uid: number | null
  readonly unproven_uidvalidity: number | null
}

export type Row = IntentColumns & StateColumns

const INTENT_COLUMNS = [
  'tx_id',
  'created_at',
  'caller_id',
  'operation',
  'src_account',
  'src_folder',
  'src_uid',
  'src_uidvalidity',
  'dst_account',
  'dst_folder',
  'readable',
  'starred',
] as const satisfies readonly (keyof IntentColumns)[]

export const STATE_COLUMNS = [
  'status',
  'committed_at',
  'message_id',
  'content_hash',
  'size',
  'flags',
  'received',
  'fence_uidvalidity',
  'fence_uidnext',
  'target_uid',
  'target_uidvalidity',
  'source_gone',
  'retry_count',
  'last_error',
  'response_code',
  'unproven',
  'unproven_uid',
  'unproven_uidvalidity',
] as const satisfies readonly (keyof StateColumns)[]

export const COLUMNS = [...INTENT_COLUMNS, ...STATE_COLUMNS]

export function toRow(transfer: Transfer): Row {
  const { source, destination, content, fence } = transfer
  return {
    tx_id: transfer.txId,
    created_at: transfer.createdAt,
    caller_id: transfer.callerId,
    operation: transfer.operation,
    src_account: source.account,
    src_folder: source.mailbox,
    src_uid: source.uid,
    src_uidvalidity: source.uidvalidity,
    dst_account: destination.account,
    dst_folder: destination.mailbox,
    readable: transfer.readable === true ? 1 : 0,
    starred: transfer.starred === undefined ? null : transfer.starred ? 1 : 0,
    status: transfer.status,
    committed_at: transfer.committedAt ?? null,
    message_id: content?.messageId ?? null,
    content_hash: content?.hash ?? null,
    size: content?.size ?? null,
    flags: content === undefined ? null : JSON.stringify(content.flags),
    received: content?.received ?? null,
    fence_uidvalidity: fence?.uidvalidity ?? null,
    fence_uidnext: fence?.uidNext ?? null,
    target_uid: transfer.targetUid ?? null,
    target_uidvalidity: transfer.targetUidvalidity ?? null,
    source_gone: transfer.sourceGone,
    retry_count: transfer.retryCount,
    last_error: transfer.lastError ?? null,
    response_code: transfer.responseCode ?? null,
    unproven: transfer.unproven?.kind ?? null,
    unproven_uid: transfer.unproven?.placed?.uid ?? null,
    unproven_uidvalidity: transfer.unproven?.placed?.uidvalidity ?? null,
  }
}

export function toTransfer(row: Row): Transfer {
  return {
    txId: row.tx_id,
    callerId: row.caller_id,
    operation: row.operation,
    source: {
      account: row.src_account,
      mailbox: row.src_folder,
      uidvalidity: row.src_uidvalidity,
      uid: row.src_uid,
    },
    destination: { account: row.dst_account, mailbox: row.dst_folder },
    ...(row.readable === 1 && { readable: true as const }),
    ...(row.starred !== null && { starred: row.starred === 1 }),
    createdAt: row.created_at,
    status: row.status,
    content: contentOf(row),
    fence: fenceOf(row),
    targetUid: row.target_uid ?? undefined,
    targetUidvalidity: row.target_uidvalidity ?? undefined,
    unproven: unprovenOf(row),
    sourceGone: row.source_gone,
    retryCount: row.retry_count,
    lastError: row.last_error ?? undefined,
    responseCode: row.response_code ?? undefined,
    committedAt: row.committed_at ?? undefined,
  }
}

function contentOf({ content_hash: hash, size, flags, received, message_id }: Row): Content | undefined {
  if (hash === null || size === null || flags === null || received === null) return undefined
  return { hash, size, flags: JSON.parse(flags), received, messageId: message_id ?? undefined }
}

function fenceOf({ fence_uidvalidity: uidvalidity, fence_uidnext: uidNext }: Row): Fence | undefined {
  return uidvalidity === null || uidNext === null ? undefined : { uidvalidity, uidNext }
}

function unprovenOf({ unproven, unproven_uid: uid, unproven_uidvalidity: uidvalidity }: Row): UnprovenCopy | undefined {
  if (unproven === null) return undefined
  return { kind: unproven, placed: uid === null || uidvalidity === null ? undefined : { uid, uidvalidity } }
}
