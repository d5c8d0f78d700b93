/** The mail-source contract on an emulated Gmail. */
import { segment } from '../../src/adapters/gmail/client/client.ts'
import { never, type SourceUnderTest } from '../mail-source/bench.ts'
import { mailSourceContract } from '../mail-source/contract.ts'
import { openSource } from './open-source.ts'
import { gmailScene } from './scene.ts'

/** `\Draft` is what stands in Drafts, and there alone. */
const KEPT = new Set(['\\Seen', '\\Flagged', '\\Deleted'])

mailSourceContract('Gmail', async (): Promise<SourceUnderTest> => {
  const scene = await gmailScene()
  const source = openSource(scene)
  // Somebody else is another process of ours: uids are shared, whatever else is known is not.
  const other = openSource(scene)
  const made = new Set(['INBOX'])
  return {
    source,
    keepsFlag: (flag) => KEPT.has(flag),
    seed: async (mailbox, messages) => {
      if (!made.has(mailbox)) await scene.createLabel(mailbox)
      made.add(mailbox)
      const uids: number[] = []
      for (const { raw, flags = [], received } of messages) {
        const message = { bytes: Buffer.from(raw), flags, ...(received === undefined ? {} : { received }) }
        uids.push((await other.append(mailbox, message, never()))?.uid ?? 0)
      }
      return uids
    },
    vanish: async (mailbox, uid) => {
      const { uidvalidity } = await other.find(mailbox, { criteria: {}, take: 1 }, never())
      const [native] = await other.idsOf({ mailbox, uidvalidity }, [uid], never())
      const path = `messages/${segment(native?.message ?? '')}`
      await scene.client.write({ method: 'DELETE', path }, never())
    },
    dispose: async () => {
      await Promise.all([source.close(), other.close()])
      await scene.close()
    },
  }
})
