/** What Postern has kept: mirrors, the record, the vault, letters and moves. Nothing is made that was not there. */
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { holderOf } from '../adapters/machine/lock-holder.ts'
import { lookAtPlace } from '../adapters/machine/places.ts'
import type { Verification } from '../core/audit/verify.ts'
import { Failure } from '../core/failure.ts'
import type {
  AttachmentsLook,
  AuditLook,
  Holder,
  Letters,
  MirrorLook,
  MirrorState,
  VaultLook,
} from '../engine/doctor/world.ts'
import type { VaultFolder } from '../ports/vault.ts'
import { liesAt } from './lies-at.ts'
import { ownAttachments } from './postern.ts'

const VAULT_FOLDERS: readonly VaultFolder[] = ['Pending_Approval', 'Approved', 'Rejected', 'Done', 'Needs_Operator']
const MOST_LETTERS = 1000

export function mirrorsOf(accounts: readonly string[], directory: string): readonly MirrorLook[] {
  return accounts.map((account) => ({
    account,
    state: () => mirrorState(account, directory),
    setAside: () => mirrorSetAside(account, directory),
  }))
}

async function mirrorSetAside(account: string, directory: string): Promise<string | undefined> {
  const { mirrorPath, setAsidePath } = await import('../adapters/mirror/file/path.ts')
  const path = setAsidePath(mirrorPath(join(directory, 'mirror'), account))
  return existsSync(path) ? path : undefined
}

async function mirrorState(account: string, directory: string): Promise<MirrorState> {
  const { mirrorPath } = await import('../adapters/mirror/file/path.ts')
  const { newerMirror } = await import('../adapters/mirror/file/file-version.ts')
  const path = mirrorPath(join(directory, 'mirror'), account)
  if (!existsSync(path)) return { kind: 'none' }
  // Before anything else of this process opens the file.
  if (newerMirror(path) !== undefined) return { kind: 'newer' }
  try {
    const { isSound } = await import('../adapters/sqlite/sound-database.ts')
    if (!isSound(path)) return { kind: 'damaged' }
    return await keptIn(path)
  } catch (error) {
    if (error instanceof Failure) return unusable(error)
    if (error instanceof Error && 'code' in error) return { kind: 'unusable', why: 'the mirror cannot be opened' }
    throw error
  }
}

function unusable({ code, message }: Failure): MirrorState {
  if (code === 'unreadable') return { kind: 'damaged' }
  return code === 'unsupported' ? { kind: 'older' } : { kind: 'unusable', why: message }
}

async function keptIn(path: string): Promise<MirrorState> {
  const { createMirrorStore } = await import('../adapters/mirror/store.ts')
  const { fileLocks: locks } = await import('../adapters/lock/file-locks.ts')
  const { databaseFiles: databases } = await import('../adapters/sqlite/database-files.ts')
  const store = createMirrorStore({ path, clock: systemClock, locks, databases })
  try {
    const folders = await store.folders()
    const checked = folders.map(({ checkedAt }) => checkedAt)
    return {
      kind: 'usable',
      folders: folders.length,
      messages: folders.reduce((sum, { kept }) => sum + kept, 0),
      checkedAt: checked.length === 0 ? undefined : Math.max(...checked),
      holder: await leaseHolder(path),
    }
  } finally {
    await store.close()
  }
}

/** Whoever ends gives its lease back: one that is held has a holder that lives. */
async function leaseHolder(mirror: string): Promise<Holder | undefined> {
  const { leaseOf } = await import('../adapters/mirror/file/lease.ts')
  const { fileLocks } = await import('../adapters/lock/file-locks.ts')
  const lease = leaseOf(mirror)
  if (!existsSync(lease)) return undefined
  const ours = fileLocks.take(lease)
  ours?.release()
  return ours === undefined ? holderOf(lease) : undefined
}

export async function auditLook(at: string, keyDirectory: string, signal: AbortSignal): Promise<AuditLook> {
  if (!liesAt(at)) return { kind: 'none' }
  const { verifyAuditDirectory } = await import('../adapters/audit/verify.ts')
  const verify = (): Promise<Verification> =>
    verifyAuditDirectory(at, { keyDirectory }).catch((error: unknown) => {
      // A public key that is none is told by the check of files; the chain holds without it.
      if (!(error instanceof Failure) || error.code !== 'invalid_input') throw error
      return verifyAuditDirectory(at, { keyDirectory: at })
    })
  try {
    const verification = await Promise.race([verify(), aborted(signal)])
    if (verification === undefined) return { kind: 'unfinished' }
    return { kind: 'verified', verification, directory: at }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { kind: 'unreadable', why: error.message, directory: at }
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}

export function vaultLook(path: string, isWanted: boolean): VaultLook | undefined {
  const place = lookAtPlace(path)
  if (place.kind === 'missing' && !isWanted) return undefined
  const unfit = place.kind === 'directory' ? VAULT_FOLDERS.filter((name) => isUnfit(join(path, name))) : []
  return { ...place, unfit }
}

function isUnfit(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isDirectory()
}

export async function lettersIn(directory: string): Promise<Letters | undefined> {
  const path = join(directory, 'outbox.db')
  if (!(await isUsable(path, 'outbox'))) return undefined
  const { createOutboxStore } = await import('../adapters/outbox/store.ts')
  const { fileLocks: locks } = await import('../adapters/lock/file-locks.ts')
  const { databaseFiles: databases } = await import('../adapters/sqlite/database-files.ts')
  const store = createOutboxStore({ path, locks, databases })
  try {
    const entries = await store.list({ kinds: ['waiting', 'needs_operator'], most: MOST_LETTERS })
    const now = systemClock.now()
    return {
      waiting: entries.filter(({ state, expires }) => state.kind === 'waiting' && expires > now).map(({ id }) => id),
      needOperator: entries.filter(({ state }) => state.kind === 'needs_operator').map(({ id }) => id),
    }
  } finally {
    await store.close()
  }
}

export async function stuckTransfersIn(path: string): Promise<readonly string[] | undefined> {
  if (!(await isUsable(path, 'journal'))) return undefined
  const { createJournal } = await import('../adapters/journal/journal.ts')
  const { fileLocks: locks } = await import('../adapters/lock/file-locks.ts')
  const { databaseFiles: databases } = await import('../adapters/sqlite/database-files.ts')
  const journal = createJournal({ path, locks, databases })
  try {
    return (await journal.stuck()).map(({ txId }) => txId)
  } finally {
    await journal.close()
  }
}

/** Those of ours, and those of the user's own choice. */
export async function attachmentsIn(
  directory: string,
  chosen: string | undefined,
): Promise<readonly AttachmentsLook[]> {
  const { savedAttachments } = await import('../adapters/attachments/kept-files.ts')
  const look = (path: string, isTemporary: boolean): readonly AttachmentsLook[] => {
    const saved = savedAttachments(path)
    return saved === undefined
      ? []
      : [{ directory: path, ...saved, isTemporary, othersRead: lookAtPlace(path).othersRead }]
  }
  return [...look(ownAttachments(directory), true), ...(chosen === undefined ? [] : look(chosen, false))]
}

/** What is wrong with a file is told by the check of files. */
async function isUsable(path: string, which: 'outbox' | 'journal'): Promise<boolean> {
  if (!existsSync(path)) return false
  const { examineDatabase } = await import('../adapters/sqlite/examine-database.ts')
  const { OUTBOX_FILE } = await import('../adapters/outbox/schema.ts')
  const { JOURNAL_FILE } = await import('../adapters/journal/schema.ts')
  try {
    return examineDatabase(path, which === 'outbox' ? OUTBOX_FILE : JOURNAL_FILE) === 'sound'
  } catch {
    return false
  }
}
