/** A Gmail account asked in two ways, at Gmail and on the mirror of it: the answers are the same. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createGmailSource } from '../../src/adapters/gmail/source.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { policyFrom } from '../../src/core/policy/policy.ts'
import { parseQuery } from '../../src/core/query/parse.ts'
import type { Account } from '../../src/engine/accounts/accounts.ts'
import { mirroredSource } from '../../src/engine/accounts/mirrored-source.ts'
import { ServerPatience } from '../../src/engine/accounts/server-patience.ts'
import { type FolderAnswer, searchFolder } from '../../src/engine/search/search-folder.ts'
import { FactKeeper } from '../../src/engine/sight/fact-keeper.ts'
import { Sight } from '../../src/engine/sight/sight.ts'
import { freshFolders } from '../../src/engine/sync/fresh-folders.ts'
import type { ContentReader } from '../../src/ports/content-reader.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { KINDS } from '../mirror/mail.ts'
import { type Mirrored, syncWell } from '../mirror/sync-scene.ts'
import { type GmailMirrorScene, gmailMirrorScene } from './mirror-scene.ts'

const NOW = 1_750_000_000
const DAY = 86_400
const OPEN = { path: '**', mode: 'blacklist', default: 'FULL', rules: [], capabilities: [] } as const

let scene: GmailMirrorScene
let content: ContentReader
let mirror: Mirrored
let source: MailSource
let live: Account
let mirrored: Account
let ids: string[]

beforeAll(async () => {
  scene = await gmailMirrorScene()
  content = createContentReader(silentLog)
  ids = []
  for (const [at, { raw }] of KINDS.entries()) {
    ids.push(await scene.other.deliver(raw, { received: NOW - at * DAY }))
  }
  const written = [
    { subject: 'Rechnung für März', body: 'der Betrag ist fällig', from: 'Zoë <zoe@a.example>' },
    { subject: 'invoice 42', body: 'please pay the invoice', from: 'billing@b.example', to: 'ada@gmail.example' },
    { subject: 'lunch', body: 'no invoice here, only soup', from: 'Bob <bob@a.example>' },
  ]
  for (const [at, one] of written.entries()) {
    const labels = ['INBOX', ...(at === 0 ? ['UNREAD'] : []), ...(at === 1 ? ['STARRED'] : [])]
    ids.push(
      await scene.other.deliver(letter({ ...one, messageId: `<${at}@x.example>` }), {
        labels,
        received: NOW - at * 60,
      }),
    )
  }
  mirror = scene.mirror('mirror')
  source = createGmailSource({ client: scene.gmail.client, uids: scene.uids })
  const patience = new ServerPatience(systemClock)
  const kept = { ...freshFolders(mirror.sync, mirror.store, { depth: 'full' }, patience), store: mirror.store }
  const account = { id: 'work', host: '127.0.0.1', port: 1, secure: false } as unknown as Account
  live = { ...account, source }
  mirrored = { ...account, source: mirroredSource(source, kept, patience), mirror: kept }
  await syncWell(mirror)
})
afterAll(async () => {
  await content.close()
  await scene.stop()
})

const facts = new FactKeeper()
const clock = { ...systemClock, now: () => NOW * 1000, elapsed: () => systemClock.elapsed() }

function ask(account: Account, text: string): Promise<FolderAnswer> {
  const policy = policyFrom({ name: 'p', concealHidden: false, accounts: new Map([['work', [OPEN]]]) })
  const question = { mailbox: 'INBOX', query: parseQuery(text, NOW), match: {}, offset: 0, take: 1000 }
  const sight = new Sight(policy, facts, clock)
  return searchFolder(account, question, { sight, content, log: silentLog, signal: never() })
}

const uids = ({ rows }: FolderAnswer): number[] => rows.map(({ uid }) => uid)

test.each([
  '',
  'invoice',
  'subject:invoice',
  'from:zoe@a.example',
  'from:a.example -subject:lunch',
  'to:ada@gmail.example',
  'märz OR soup',
  'is:unread',
  'is:starred',
  '-is:unread',
  'has:attachment',
  'larger:300',
  'smaller:1K newer_than:2d',
  'older_than:3d',
  'albatross',
  '"please pay"',
  'rfc822msgid:1@x.example',
  'subject:nowhere',
])('%j', async (text) => {
  const [atGmail, onMirror] = [await ask(live, text), await ask(mirrored, text)]
  expect([atGmail.coverage.source, onMirror.coverage.source]).toEqual(['live', 'mirror'])
  expect(uids(onMirror)).toEqual(uids(atGmail))
  expect(onMirror.uidvalidity).toBe(atGmail.uidvalidity)
  expect([onMirror.matched, onMirror.visible]).toEqual([atGmail.matched, atGmail.visible])
  const isEmpty = text === 'subject:nowhere'
  expect(uids(onMirror).length === 0).toBe(isEmpty)
})

test('what a listing shows of a message', async () => {
  const found = await source.find('INBOX', { criteria: {}, take: 100 }, never())
  const at = { mailbox: 'INBOX', uidvalidity: found.uidvalidity, kept: true }
  const wanted = { fields: ['From', 'Subject', 'Date', 'References'], structure: true }
  const [atGmail, onMirror] = await Promise.all(
    [live, mirrored].map((account) => account.source.traits(at, found.uids, wanted, never())),
  )
  expect(atGmail).toHaveLength(ids.length)
  expect(onMirror).toEqual(atGmail)
})

test('what we do ourselves is in the next answer too', async () => {
  const { uids: all, uidvalidity } = await source.find('INBOX', { criteria: {}, take: 100 }, never())
  const [one, two, three, four] = all as [number, number, number, number]
  const at = { mailbox: 'INBOX', uidvalidity }
  await source.changeFlags(at, one, 'add', ['\\Flagged', '\\Seen'], never())
  await source.changeFlags(at, two, 'add', ['\\Deleted'], never())
  await source.move(at, three, 'Trash', never())
  await source.append('INBOX', { bytes: Buffer.from(letter({ subject: 'appended' })), flags: ['\\Seen'] }, never())
  const [atGmail, onMirror] = [await ask(live, ''), await ask(mirrored, '')]
  expect([atGmail.coverage.source, onMirror.coverage.source]).toEqual(['live', 'mirror'])
  expect(uids(onMirror)).toEqual(uids(atGmail))
  expect(uids(onMirror)).not.toContain(three)
  expect(uids(onMirror)).toHaveLength(ids.length)
  const flags = await mirror.store.traits(at, [one, two, four], [])
  expect(flags.map((message) => [...message.flags].sort())).toEqual(
    (await source.traits(at, [one, two, four], { fields: [], structure: false }, never())).map((message) =>
      [...message.flags].sort(),
    ),
  )
  expect(flags[1]?.flags).toContain('\\Deleted')
})
