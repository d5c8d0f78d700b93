/** What an operator needs to look after mirrors: those of a configuration tree, or of the environment's accounts. */

import { forgetAccount } from '../engine/sync/forget-account.ts'
import type { ForgetDesk } from '../surfaces/cli/forget.ts'
import type { SyncDesk } from '../surfaces/cli/sync.ts'
import { openConfigured } from './configured.ts'
import { forgetUids, hasUids } from './gmail.ts'
import { hasMirror, type OpenedMirror, openStore } from './mirrors.ts'
import type { TreeParts } from './open-tree.ts'
import { openOutbox, outboxSettings } from './outbox.ts'
import { openContent } from './postern.ts'

export interface MirrorDesk extends SyncDesk, ForgetDesk {
  close(): Promise<void>
}

export async function mirrorDesk(config: string | undefined, parts: TreeParts): Promise<MirrorDesk> {
  const mirrors = new Map<string, OpenedMirror>()
  const content = openContent(parts.log)
  const onMirror = (id: string, mirror: OpenedMirror): void => void mirrors.set(id, mirror)
  const configured = await openConfigured(config, parts, { content, follow: false, onMirror })
  const { directory, vault } = configured
  const settings = outboxSettings(parts.env, directory, vault)
  const outbox = openOutbox({ ...configured, ...settings, content, log: parts.log })
  return {
    accounts: () => [...mirrors.keys()],
    async sync(account, onProgress, signal) {
      const mirror = mirrors.get(account)
      if (mirror === undefined) throw new Error('an account without a mirror was to be synced')
      return mirror.sync.syncAll(onProgress, signal)
    },
    known: () => configured.accounts.current.list().map(({ id }) => id),
    async isKept(account) {
      if ((await hasMirror(directory, account)) || (await hasUids(directory, account))) return true
      return outbox.isKept(account)
    },
    async forget(account) {
      const letters = await outbox.forget(account)
      const kept = await hasMirror(directory, account)
      const store = mirrors.get(account)?.store ?? openStore(directory, account)
      const forgotten = kept ? await forgetAccount(store, account) : undefined
      const hadUids = await forgetUids(directory, account)
      const isAny = forgotten !== undefined || hadUids || letters > 0
      return isAny ? { ...(forgotten ?? { folders: 0, messages: 0 }), letters } : undefined
    },
    async close() {
      await Promise.all([content.close(), outbox.close()])
      await configured.close()
    },
  }
}
