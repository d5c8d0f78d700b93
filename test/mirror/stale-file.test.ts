/** While another process has the right to write a mirror, and does not use it: what has happened since is seen all the same. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { mirrorPath } from '../../src/adapters/mirror/file/path.ts'
import { createMirrorStore } from '../../src/adapters/mirror/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { uidOf } from '../imap/harness.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, granting, passwordFrom, type Stage, startStage, uniform } from '../policy/stage.ts'

const WHERE = { account: 'ada', folder: 'INBOX' }
let stage: Stage
let open: Agent
let ruled: Agent
let release: () => Promise<void>

const from = (subject: string): string => letter({ subject, from: 'Ada <ada@friends.example>' })

beforeAll(async () => {
  const mayMove = { move_out: true, accept_incoming: true }
  const limits = { per_minute: 10_000, per_hour: 10_000 }
  stage = await startStage({
    accounts: { ada: { user: 'ada', mirror: 'full', ...passwordFrom('ada') } },
    callers: Object.fromEntries(
      ['open', 'ruled'].map((policy) => [policy, { policy, toolsets: ['imap', 'policy'], limits }]),
    ),
    policies: {
      open: { accounts: { ada: [uniform('**', 'FULL', mayMove)] } },
      ruled: { accounts: { ada: [granting('**', 'friends.example', 'FULL')] } },
    },
  })
  await stage.put('ada', 'INBOX', [from('one'), from('two')])
  await stage.put('ada', 'Archive', [from('old')])
  open = await stage.as('open')
  ruled = await stage.as('ruled')
  for (const agent of [open, ruled]) {
    const answered = async (): Promise<unknown> => (await agent.ask('search', { ...WHERE, query: 'one' }))['coverage']
    await vi.waitFor(async () => expect(await answered()).toMatchObject({ source: 'mirror' }), 60_000)
  }
  const path = mirrorPath(join(stage.dataDir, 'mirror'), 'ada')
  const store = createMirrorStore({ path, clock: systemClock, locks: fileLocks, databases: databaseFiles })
  const lease = await vi.waitUntil(() => store.lease(), 60_000)
  release = async () => {
    await lease.release()
    await store.close()
  }
  const { imap } = await stage.client('ada')
  await imap.append('INBOX', Buffer.from(from('three')))
  await imap.mailboxOpen('INBOX')
  await imap.messageFlagsAdd('1', ['\\Flagged'], { uid: true })
})

afterAll(async () => {
  await release()
  await stage.close()
})

test.each(['open', 'ruled'])('what arrived and what was flagged is listed: %s', async (name) => {
  const { ask } = name === 'open' ? open : ruled
  const listed = await ask('list_messages', WHERE)
  expect(listed.messages.map(({ uid, subject }) => [uid, subject])).toEqual([
    [3, 'three'],
    [2, 'two'],
    [1, 'one'],
  ])
  expect(listed.messages.at(-1)?.['flags']).toContain('\\Flagged')
  expect(await ask('folder_stats', WHERE)).toMatchObject({ visible_count: 3 })
})

test.each(['open', 'ruled'])('and found by the other set: %s', async (name) => {
  const { postern } = name === 'open' ? open : ruled
  const { data } = await postern.call('imap_search_messages', { account_id: 'ada', mailbox: 'INBOX', limit: 2 })
  expect(data.messages.map(({ message_id }) => uidOf(message_id))).toEqual([3, 2])
  const more = { account_id: 'ada', mailbox: 'INBOX', limit: 2, cursor: data['next_cursor'] }
  const { data: rest } = await postern.call('imap_search_messages', more)
  expect(rest.messages.map(({ message_id }) => uidOf(message_id))).toEqual([1])
  expect(rest.messages.at(-1)?.['flags']).toContain('\\Flagged')
})

test('and moved with others', async () => {
  const moved = await open.ask('move', { source: { ...WHERE, uids: [2, 3] }, target: { ...WHERE, folder: 'Archive' } })
  expect(moved['results']).toEqual([
    expect.objectContaining({ uid: 2, result: 'OK' }),
    expect.objectContaining({ uid: 3, result: 'OK' }),
  ])
  expect((await ruled.ask('list_messages', WHERE)).messages.map(({ uid }) => uid)).toEqual([1])
})
