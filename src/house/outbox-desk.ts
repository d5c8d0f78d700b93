/** What an operator needs to look after letters that want to leave. */

import type { OutboxDesk } from '../engine/outbox/desk.ts'
import { openConfigured } from './configured.ts'
import type { TreeParts } from './open-tree.ts'
import { openOutbox, outboxSettings } from './outbox.ts'
import { openContent } from './postern.ts'

export interface OpenedOutboxDesk {
  readonly desk: OutboxDesk
  close(): Promise<void>
}

export async function outboxDesk(config: string | undefined, parts: TreeParts): Promise<OpenedOutboxDesk> {
  const { env, log } = parts
  const content = openContent(log)
  const configured = await openConfigured(config, parts, { content, follow: false })
  const { directory, vault } = configured
  const opened = openOutbox({ ...configured, ...outboxSettings(env, directory, vault), content, log })
  // What a process left behind is to be seen as what it is.
  await opened.resume()
  return {
    desk: opened.desk(),
    async close() {
      await Promise.all([content.close(), opened.close()])
      await configured.close()
    },
  }
}
