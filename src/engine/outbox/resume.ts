/**
 * What was left behind: letters of processes that ended while they sent, and copies that were not kept.
 *
 * INVARIANT: nothing is sent here. A letter whose process is gone may have left: only a copy that its provider kept, or a
 * person, can say so.
 */

import { approvalFile, type EntryKind, type OutboxEntry } from '../../core/outbox/entry.ts'
import { letterEvent } from '../../core/outbox/letter-event.ts'
import type { TakenApproval, VaultFolder } from '../../ports/vault.ts'
import { filed, reconciled } from './deliver.ts'
import type { OutboxParts } from './parts.ts'

/** A call that is filing its copy at this moment is let be. */
const SETTLED_MS = 60_000
/** So long after a letter was lost its copy is looked for by itself. */
const LOOKED_FOR_MS = 24 * 60 * 60 * 1000
const MOST = 100
const ALL = Number.MAX_SAFE_INTEGER

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
  // Before any server is asked, which may take long.
  await tidyVault(parts).catch((err: unknown) => log.warn({ err }, 'the vault could not be tidied'))
  for (const entry of await store.list({ kinds: ['needs_operator', 'sent'], most: MOST }))
    await finish(entry, now, parts)
}

/** Every file is where the store says that its message is, whichever process should have moved it. */
async function tidyVault(parts: OutboxParts): Promise<void> {
  const { store, vault, clock } = parts
  for (const taken of await vault.taken()) await settleTaken(taken, parts)
  const requests = await vault.requests()
  const lost = await store.list({ kinds: ['needs_operator'], most: ALL })
  for (const id of new Set([...requests, ...lost.map((entry) => entry.id)])) {
    // A person may decide meanwhile.
    const entry = await store.get(id)
    const folder = entry && folderOf(entry)
    if (entry !== undefined && folder !== undefined) await vault.move(entry, folder)
  }
  for (const entry of await store.list({ kinds: ['waiting'], most: ALL })) {
    // No agent asks for a version, so no call would look for its file: it is approved in the console or at a terminal.
    if (entry.sending.version !== undefined) continue
    const isShown = requests.includes(entry.id) || (await vault.isRejected(entry.id))
    if (!isShown) await vault.post(entry, clock.now())
  }
}

/** An approval that a process took and did not live to move or put back. */
async function settleTaken({ file, letter }: TakenApproval, { store, vault }: OutboxParts): Promise<void> {
  const entry = await store.get(letter)
  if (entry === undefined || entry.state.kind === 'claimed') return
  const folder = FOLDERS[entry.state.kind]
  if (folder !== undefined) return vault.move(entry, folder, file)
  // A process that lives puts it back at once, and may take it again since the store was asked: only one that was taken long
  // before that is left behind.
  const isLeft = (one: TakenApproval): boolean => one.file === file && one.letter === letter && one.age >= SETTLED_MS
  if ((await vault.taken()).some(isLeft)) await vault.putBack(file, letter)
}

/** Where its request belongs; undefined where a person decides where it lies. */
function folderOf({ state }: OutboxEntry): VaultFolder | undefined {
  const isSaid = state.kind === 'approved' && (state.approval.via === 'command' || state.approval.via === 'console')
  return isSaid ? 'Approved' : FOLDERS[state.kind]
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
  if (state.kind === 'needs_operator' && now - state.at < LOOKED_FOR_MS)
    await reconciled(entry, account, parts, { told: false })
  if (state.kind !== 'sent' || state.filed || now - state.at < SETTLED_MS || now - state.at > LOOKED_FOR_MS) return
  const bytes = await parts.store.bytes(entry.id).catch(() => undefined)
  if (bytes !== undefined) await filed(entry, account, bytes, parts)
}
