/** Sources on a scene's account. */
import { join } from 'node:path'
import { createGmailClient } from '../../src/adapters/gmail/client/client.ts'
import { createGmailSource } from '../../src/adapters/gmail/source.ts'
import { createUidStore } from '../../src/adapters/gmail/uids/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import type { GmailScene } from './scene.ts'

export type GmailSource = ReturnType<typeof createGmailSource>

export function uidFile({ directory }: Pick<GmailScene, 'directory'>): string {
  return join(directory, 'gmail', 'me.db')
}

/** Another of them is another process of ours: uids are shared, whatever else is known is not. */
export function openSource(scene: GmailScene): GmailSource {
  const client = createGmailClient({ baseUrl: scene.url, access: scene.access, log: silentLog, times: scene.times })
  return createGmailSource({ client, uids: createUidStore({ path: uidFile(scene), databases: databaseFiles }) })
}
