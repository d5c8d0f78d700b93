/** A Gmail account, a mirror of it, and somebody else at the same mailbox. */
import { join } from 'node:path'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createGmailFeed } from '../../src/adapters/gmail/feed/feed.ts'
import { Mailboxes } from '../../src/adapters/gmail/mailboxes.ts'
import { createUidStore, type UidStore } from '../../src/adapters/gmail/uids/store.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { createMirrorStore } from '../../src/adapters/mirror/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { AccountSync } from '../../src/engine/sync/sync-account.ts'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import type { MirrorStore } from '../../src/ports/mirror-store.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import type { Mirrored } from '../mirror/sync-scene.ts'
import { type Delivery, type GmailScene, gmailScene } from './scene.ts'

export interface GmailMirrorScene {
  readonly gmail: GmailScene
  readonly uids: UidStore
  readonly feed: MailFeed
  /** What somebody else does, in another program. */
  readonly other: OtherClient
  /** A mirror in a file of that name. */
  mirror(name: string): Mirrored
  /** Forgets what the feed remembers of labels, as after half a minute. */
  anotherFeed(pollMs?: number): MailFeed
  stop(): Promise<void>
}

export interface OtherClient {
  deliver(raw: string, options?: Delivery): Promise<string>
  label(ids: string | readonly string[], add: readonly string[], remove?: readonly string[]): Promise<void>
  trash(id: string): Promise<void>
  remove(id: string): Promise<void>
  removeLabel(id: string): Promise<void>
  renameLabel(id: string, name: string): Promise<void>
}

export async function gmailMirrorScene(): Promise<GmailMirrorScene> {
  const gmail = await gmailScene()
  const uids = createUidStore({ path: join(gmail.directory, 'uids.db'), databases: databaseFiles })
  const content = createContentReader(silentLog)
  const stores: MirrorStore[] = []
  const anotherFeed = (pollMs = 5): MailFeed => createGmailFeed({ client: gmail.client, uids, pollMs })
  const feed = anotherFeed()
  const mailboxes = new Mailboxes(gmail.client, uids, () => performance.now())
  const source = { mailboxes: (signal) => mailboxes.list(signal) } as Pick<MailSource, 'mailboxes'> as MailSource
  return {
    ...{ gmail, uids, feed, anotherFeed },
    other: otherClient(gmail),
    mirror(name) {
      const path = join(gmail.directory, `${name}.db`)
      const store = createMirrorStore({ path, clock: systemClock, locks: fileLocks, databases: databaseFiles })
      stores.push(store)
      const parts = { content, depth: 'full', clock: systemClock, log: silentLog, store, feed } as const
      return { path, store, sync: new AccountSync({ ...parts, account: { id: 'work', source } }) }
    },
    async stop() {
      await Promise.all(stores.map((store) => store.close()))
      await content.close()
      uids.close()
      await gmail.close()
    },
  }
}

function otherClient(gmail: GmailScene): OtherClient {
  const post = async (path: string, body: object = {}): Promise<void> => {
    await aMomentLater()
    await gmail.client.write({ method: 'POST', path, body: { ...body } }, never())
  }
  const remove = async (path: string): Promise<void> => {
    await aMomentLater()
    await gmail.client.write({ method: 'DELETE', path }, never())
  }
  return {
    async deliver(raw, options) {
      await aMomentLater()
      return gmail.deliver(raw, options)
    },
    label: (ids, addLabelIds, removeLabelIds = []) =>
      post('messages/batchModify', { ids: [ids].flat(), addLabelIds, removeLabelIds }),
    trash: (id) => post(`messages/${id}/trash`),
    remove: (id) => remove(`messages/${id}`),
    removeLabel: (id) => remove(`labels/${id}`),
    async renameLabel(id, name) {
      await aMomentLater()
      await gmail.client.write({ method: 'PATCH', path: `labels/${id}`, body: { name } }, never())
    },
  }
}

/** The emulator numbers its history by milliseconds: what happens in the same one is in no order. */
async function aMomentLater(): Promise<void> {
  const now = Date.now()
  while (Date.now() <= now + 1) await new Promise((resolve) => setTimeout(resolve, 1))
}
