import { expect, test } from 'vitest'
import { MemoryMirror, MemoryServer, memoryParts } from '../../../test/mirror/memory.ts'
import { Failure } from '../../core/failure.ts'
import type { MailFeed, TextBytes, TextWanted } from '../../ports/mail-feed.ts'
import { indexFolder } from './index-folder.ts'
import { pullFolder } from './pull-folder.ts'
import type { SyncParts } from './sync-parts.ts'

const AT = { mailbox: 'INBOX', uidvalidity: 7 }
const never = new AbortController().signal

/** Three batches of messages that are stored, and what happens to them. */
async function scene(texts: MailFeed['texts']): Promise<{ parts: SyncParts; happened: string[] }> {
  const happened: string[] = []
  const server = new MemoryServer()
  const mirror = new MemoryMirror()
  server.add('INBOX', 900)
  await mirror.lease()
  const index = mirror.index
  mirror.index = async (...given) => {
    happened.push('indexed')
    return index(...given)
  }
  const content: SyncParts['content'] = {
    texts: async (bodies) => {
      happened.push('read')
      return bodies.map(() => ({ text: 'words', uncertain: '', truncated: false, warnings: [] }))
    },
    document: () => Promise.reject(new Error('no documents here')),
  }
  const parts = memoryParts(server, mirror, { depth: 'full', content, feed: { ...server.feed, texts } })
  const state = await server.feed.state('INBOX', never)
  await pullFolder('INBOX', state, parts, () => ({ add: () => undefined }) as never, never)
  return { parts, happened }
}

const bytes = new TextEncoder().encode('words')
const textsOf = (wanted: readonly TextWanted[]): TextBytes[] =>
  wanted.flatMap(({ uid, parts }) => parts.map(({ id }) => ({ uid, id, bytes, complete: true })))

test('before a batch is indexed, which takes the thread, the next one is being read', async () => {
  const { parts, happened } = await scene(async (_at, wanted) => {
    await new Promise((resolve) => setImmediate(resolve))
    return textsOf(wanted)
  })
  expect(await indexFolder(AT, parts, never)).toBe(900)
  expect(happened).toEqual(['read', 'read', 'indexed', 'read', 'indexed', 'indexed'])
})

test('one that is there is indexed where the next one cannot be fetched', async () => {
  let fetches = 0
  const { parts, happened } = await scene(async (_at, wanted) => {
    fetches += 1
    if (fetches > 1) throw new Failure('unavailable', 'cut')
    return textsOf(wanted)
  })
  await expect(indexFolder(AT, parts, never)).rejects.toMatchObject({ code: 'unavailable' })
  expect(happened).toEqual(['read', 'indexed'])
})
