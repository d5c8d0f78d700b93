/** A real server, a real mirror of it, and somebody else at the same mailboxes. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { createMirrorStore } from '../../src/adapters/mirror/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { MirrorDepth } from '../../src/core/mirror/state.ts'
import type { FolderReport, SyncReport } from '../../src/engine/sync/full-sync.ts'
import { AccountSync } from '../../src/engine/sync/sync-account.ts'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import type { MirrorStore } from '../../src/ports/mirror-store.ts'
import { type Desk, startDesk } from '../dovecot/desk.ts'
import type { DovecotOptions } from '../dovecot/dovecot.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'

export interface Mirrored {
  readonly path: string
  readonly store: MirrorStore
  readonly sync: AccountSync
}

export interface SyncScene {
  readonly desk: Desk
  readonly directory: string
  /** A mirror in a file of that name; a second one of the same name is as another process would be. */
  mirror(name: string, depth?: MirrorDepth): Mirrored
  stop(): Promise<void>
}

export async function startSyncScene(server: Partial<DovecotOptions> = {}): Promise<SyncScene> {
  const desk = await startDesk(server)
  const directory = await mkdtemp(join(tmpdir(), 'postern-sync-'))
  const content = createContentReader(silentLog)
  const stores: MirrorStore[] = []
  return {
    desk,
    directory,
    mirror(name, depth = 'full') {
      const path = join(directory, `${name}.db`)
      const store = createMirrorStore({ path, clock: systemClock, locks: fileLocks, databases: databaseFiles })
      stores.push(store)
      const source = desk.make() as MailSource & MailFeed
      const parts = { content, depth, clock: systemClock, log: silentLog, store, feed: source }
      return { path, store, sync: new AccountSync({ ...parts, account: { id: 'work', source } }) }
    },
    async stop() {
      await Promise.all(stores.map((store) => store.close()))
      await content.close()
      await desk.stop()
      await rm(directory, { recursive: true })
    },
  }
}

/** Syncs everything, and fails where not all of it went well. */
export async function syncWell({ sync }: Mirrored): Promise<ReadonlyMap<string, FolderReport>> {
  const report: SyncReport = await sync.syncAll(() => undefined, never())
  if (report.kind === 'busy') throw new Error('somebody else is syncing')
  for (const { failure } of report.folders) if (failure !== undefined) throw failure
  return new Map(report.folders.map((folder) => [folder.mailbox, folder]))
}
