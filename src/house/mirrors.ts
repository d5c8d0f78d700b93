/**
 * Accounts that are kept on this machine beside their server.
 *
 * INVARIANT: nothing is loaded and no file is opened before the mirror is first asked or followed. A closed account lets go
 * of its mirror.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { keepHeapSmall } from '../adapters/heap/small-heap.ts'
import type { MirrorDepth } from '../core/mirror/state.ts'
import type { Account } from '../engine/accounts/accounts.ts'
import { ServerPatience } from '../engine/accounts/server-patience.ts'
import { SyncBoard } from '../engine/sync/board.ts'
import type { AccountSync } from '../engine/sync/sync-account.ts'
import type { ContentReader } from '../ports/content-reader.ts'
import type { Log } from '../ports/log.ts'
import type { MailFeed } from '../ports/mail-feed.ts'
import type { MailSource } from '../ports/mail-source.ts'
import type { MirrorStore } from '../ports/mirror-store.ts'
import { lazily } from './lazily.ts'

export interface MirrorParts {
  /** Where state lives. */
  readonly directory: string
  readonly content: ContentReader
  readonly log: Log
  /** Whether what happens at the server is followed from the start. */
  readonly follow: boolean
  /** For whoever wants to do more with it than ask. */
  onMirror?(account: string, mirror: OpenedMirror): void
}

/** Long enough for a first answer to be out of the way. */
const FOLLOW_AFTER_MS = 300

export interface OpenedMirror {
  readonly sync: Pick<AccountSync, 'syncAll' | 'freshen' | 'follow'>
  readonly store: MirrorStore
}

export function openMirror(
  account: Account,
  depth: MirrorDepth,
  feed: () => Promise<MailFeed>,
  { directory, content, log, board }: Pick<MirrorParts, 'directory' | 'content' | 'log'> & { board?: SyncBoard },
): OpenedMirror {
  const onDamaged = (): void => {
    log.warn(
      { account: account.id },
      'the local index of an account was damaged: it was set aside and is built again; until then the server is asked',
    )
    void sync.wake()
  }
  const store = openStore(directory, account.id, onDamaged)
  const sync: Pick<AccountSync, 'syncAll' | 'freshen' | 'follow' | 'wake'> = lazily(async () => {
    const { AccountSync: Sync } = await import('../engine/sync/sync-account.ts')
    // What a sync holds is short-lived: without this it would be kept for longer than it is of use.
    keepHeapSmall()
    const { authservId } = account
    const parts = { account, store, content, depth, clock: systemClock, log, authservId, ...(board && { board }) }
    return new Sync({ ...parts, feed: await feed() })
  })
  return { sync, store }
}

/** What is kept of an account, also of one that is configured no more. */
export function openStore(directory: string, account: string, onDamaged?: () => void): MirrorStore {
  return lazily(async () => {
    const { createMirrorStore } = await import('../adapters/mirror/store.ts')
    const { fileLocks: locks } = await import('../adapters/lock/file-locks.ts')
    const { databaseFiles: databases } = await import('../adapters/sqlite/database-files.ts')
    const path = await pathOf(directory, account)
    return createMirrorStore({ path, clock: systemClock, locks, databases, ...(onDamaged && { onDamaged }) })
  })
}

/** Whether anything is kept of it. */
export async function hasMirror(directory: string, account: string): Promise<boolean> {
  return existsSync(await pathOf(directory, account))
}

async function pathOf(directory: string, account: string): Promise<string> {
  const { mirrorPath } = await import('../adapters/mirror/file/path.ts')
  return mirrorPath(join(directory, 'mirror'), account)
}

/** The account, answering from its mirror where it can. */
export function mirrored(
  account: Account,
  depth: MirrorDepth | 'off',
  feed: () => Promise<MailFeed>,
  parts: MirrorParts,
): Account {
  if (depth === 'off') return account
  const board = new SyncBoard()
  const { sync, store } = openMirror(account, depth, feed, { ...parts, board })
  parts.onMirror?.(account.id, { sync, store })
  const stop = new AbortController()
  const patience = new ServerPatience(systemClock)
  const mirror = lazily(async () => {
    const { freshFolders } = await import('../engine/sync/fresh-folders.ts')
    return freshFolders(sync, store, { depth, authservId: account.authservId }, patience)
  })
  const source = lazily<MailSource>(async () => {
    const { mirroredSource } = await import('../engine/accounts/mirrored-source.ts')
    return mirroredSource(account.source, { fresh: mirror.fresh, store }, patience)
  })
  if (parts.follow) setTimeout(() => void sync.follow(stop.signal), FOLLOW_AFTER_MS).unref()
  const close = async (): Promise<void> => {
    stop.abort()
    await account.source.close()
    await store.close()
  }
  return {
    ...account,
    mirror: { fresh: mirror.fresh, store, depth, progress: () => board.latest },
    source: new Proxy(source, { get: (target, name) => (name === 'close' ? close : Reflect.get(target, name)) }),
  }
}
