/** A mirror that is written between the look at a folder and the answer: the answer is the server's own. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import type { FolderDefinition } from '../../src/core/policy/folder.ts'
import { policyFrom } from '../../src/core/policy/policy.ts'
import type { Account } from '../../src/engine/accounts/accounts.ts'
import { mirroredSource } from '../../src/engine/accounts/mirrored-source.ts'
import { ServerPatience } from '../../src/engine/accounts/server-patience.ts'
import { countFolder } from '../../src/engine/actions/folder-stats.ts'
import type { Workshop } from '../../src/engine/actions/workshop.ts'
import { readQuery } from '../../src/engine/search/asked-query.ts'
import { searchFolder } from '../../src/engine/search/search-folder.ts'
import { FactKeeper } from '../../src/engine/sight/fact-keeper.ts'
import { findVisible } from '../../src/engine/sight/find-visible.ts'
import { Sight } from '../../src/engine/sight/sight.ts'
import { applyChanges } from '../../src/engine/sync/apply-changes.ts'
import { freshFolders } from '../../src/engine/sync/fresh-folders.ts'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { startSyncScene, syncWell } from './sync-scene.ts'

type Scene = Awaited<ReturnType<typeof startSyncScene>>
let scene: Scene
let mirror: ReturnType<Scene['mirror']>
let account: Account
let feed: MailFeed
let between: () => Promise<void>
let mailbox: string
let boxes = 0
const content = createContentReader(silentLog)
const RULES: FolderDefinition = {
  path: '**',
  mode: 'whitelist',
  default: 'NONE',
  rules: [{ match: { from: 'ada@friends.example' }, level: 'FULL' }],
  capabilities: [],
}
const from = (subject: string) => ({ raw: letter({ subject, from: 'Ada <ada@friends.example>' }) })

beforeAll(async () => {
  scene = await startSyncScene()
  mirror = scene.mirror('mirror')
  const source = scene.desk.make()
  feed = source as unknown as MailFeed
  const patience = new ServerPatience(systemClock)
  const folders = freshFolders(mirror.sync, mirror.store, { depth: 'full' }, patience)
  const kept = {
    store: mirror.store,
    fresh: async (...asked: Parameters<typeof folders.fresh>) => {
      const fresh = await folders.fresh(...asked)
      const work = between
      between = async () => undefined
      await work()
      return fresh
    },
  }
  account = { id: 'work', source: mirroredSource(source, kept, patience), mirror: kept } as unknown as Account
})
afterAll(async () => {
  await content.close()
  await scene.stop()
})

beforeEach(async () => {
  between = async () => undefined
  mailbox = `Box ${++boxes}`
  await scene.desk.other.seed(mailbox, [from('one'), from('two')])
  await syncWell(mirror)
})

/** As another process does that has come so far. */
async function writing(work: (folder: NonNullable<Awaited<ReturnType<typeof mirror.store.folder>>>) => Promise<void>) {
  const lease = await mirror.store.lease()
  const folder = await mirror.store.folder(mailbox)
  if (folder !== undefined) await work(folder)
  await lease?.release()
}

describe.each([
  [
    'mail has come, and is not indexed yet',
    async () => {
      await scene.desk.other.imap.append(mailbox, Buffer.from(from('three').raw))
      await writing(async (folder) => {
        const changes = await feed.changes(mailbox, folder.state, never())
        if (changes.kind === 'changed') await applyChanges(folder, changes, { feed, store: mirror.store }, never())
      })
    },
    [3, 2, 1],
  ],
  [
    'it is another one by now, and not filled yet',
    async () => {
      await scene.desk.other.imap.mailboxDelete(mailbox)
      await scene.desk.other.seed(mailbox, [from('three'), from('four'), from('five'), from('six')])
      await writing(async () => mirror.store.remake(mailbox, await feed.state(mailbox, never())))
    },
    [4, 3, 2, 1],
  ],
  [
    'it is another one by now, and wholly there',
    async () => {
      await scene.desk.other.imap.mailboxDelete(mailbox)
      await scene.desk.other.seed(mailbox, [from('three')])
      await syncWell(mirror)
    },
    [1],
  ],
  ['all that was kept is gone', () => writing(() => mirror.store.clear()), [2, 1]],
])('%s', (_what, written, uids) => {
  const sight = (): Sight => {
    const policy = policyFrom({ name: 'p', concealHidden: false, accounts: new Map([['work', [RULES]]]) })
    return new Sight(policy, new FactKeeper(), systemClock)
  }
  beforeEach(() => {
    between = written
  })

  test('a search', async () => {
    const question = { mailbox, query: readQuery('from:friends', 0), match: {}, offset: 0, take: 10 }
    const desk = { sight: sight(), content, log: silentLog, signal: never() }
    const found = await searchFolder(account, question, desk)
    expect(found).toMatchObject({ matched: uids.length, visible: uids.length })
    expect(found.rows.map(({ uid }) => uid)).toEqual(uids)
    const at = { mailbox, uidvalidity: found.uidvalidity }
    expect(await account.source.summaries(at, uids, 0, never())).toHaveLength(uids.length)
  })

  test('a search by rules', async () => {
    const found = await findVisible(account, mailbox, { criteria: {}, take: 10 }, sight(), never())
    expect(found).toMatchObject({ total: uids.length, uids, filteredOut: 0 })
    const at = { mailbox, uidvalidity: found.uidvalidity, kept: found.kept }
    expect(await account.source.summaries(at, uids, 0, never())).toHaveLength(uids.length)
  })

  test('a search of fields', async () => {
    const found = await account.source.find(mailbox, { criteria: { from: 'friends' }, take: 10 }, never())
    expect(found).toMatchObject({ total: uids.length, uids })
  })

  test('a count', async () => {
    const workshop = { sight: sight(), signal: never() } as unknown as Workshop
    const folder = await workshop.sight.folder(account, mailbox, never())
    expect(await countFolder(account, mailbox, folder, workshop)).toMatchObject({ visible: uids.length, hidden: 0 })
  })
})
