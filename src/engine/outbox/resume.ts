/**
 * What was left behind: letters of processes that ended while they sent, and copies that were not kept.
 *
 * INVARIANT: nothing is sent here. A letter whose process is gone may have left: only a copy that its provider kept, or a
 * person, can say so.
 */

import { approvalFile, type EntryKind, type OutboxEntry } from '../../core/outbox/entry.ts'
import { letterEvent } from '../../core/outbox/letter-event.ts'
import type { VaultFolder } from '../../ports/vault.ts'
import { filed, reconciled } from './deliver.ts'
import type { OutboxParts } from './parts.ts'

/** A call that is filing its copy at this moment is let be. */
const SETTLED_MS = 60_000
/** So long after a letter was lost its copy is looked for by itself. */
const LOOKED_FOR_MS = 24 * 60 * 60 * 1000
const MOST = 100

export async function resumeOutbox(parts: OutboxParts): Promise<void> {
  const { store, vault, clock, audit, log } = parts
  const now = clock.now()
  await store.expire(now)
  for (const entry of await store.orphans()) {
    const ts = new Date(now).toISOString()
    await audit.append(letterEvent(ts, 'outbox_lost', entry, { name: 'postern', address: 'postern', via: 'resume' }))
    const lost = await store.record(entry.id, { kind: 'lose', at: now })
    await vault.move(lost, 'Needs_Operator', approvalFile(entry)).catch(() => undefined)
    log.warn({ id: entry.id }, 'nobody knows whether a letter was sent; "postern outbox" says what to do')
  }
  for (const entry of await store.list({ kinds: ['needs_operator', 'sent'], most: MOST }))
    await finish(entry, now, parts)
  await tidyVault(now, parts).catch((err: unknown) => log.warn({ err }, 'the vault could not be tidied'))
}

/** Requests of letters that are over are where they belong, whoever should have moved them. */
async function tidyVault(now: number, { store, vault }: OutboxParts): Promise<void> {
  const lying = await Promise.all((await vault.requests()).map((id) => store.get(id)))
  const lost = await store.list({ kinds: ['needs_operator'], most: MOST })
  for (const entry of [...lying, ...lost]) {
    const folder = entry && FOLDERS[entry.state.kind]
    // Whoever has just brought it there moves its file as well.
    const isSettled = entry !== undefined && 'at' in entry.state && now - entry.state.at >= SETTLED_MS
    if (folder !== undefined && isSettled) await vault.move(entry, folder)
  }
}

const FOLDERS: { readonly [K in EntryKind]: VaultFolder | undefined } = {
  waiting: undefined,
  approved: undefined,
  claimed: undefined,
  sent: 'Done',
  failed: 'Done',
  expired: 'Done',
  rejected: 'Rejected',
  needs_operator: 'Needs_Operator',
}

async function finish(entry: OutboxEntry, now: number, parts: OutboxParts): Promise<void> {
  const { state, sending } = entry
  const account = parts.accounts.current.find(sending.account)
  if (account === undefined) return
  if (state.kind === 'needs_operator' && now - state.at < LOOKED_FOR_MS) await reconciled(entry, account, parts)
  if (state.kind !== 'sent' || state.filed || now - state.at < SETTLED_MS || now - state.at > LOOKED_FOR_MS) return
  const bytes = await parts.store.bytes(entry.id).catch(() => undefined)
  if (bytes !== undefined) await filed(entry, account, bytes, parts)
}
