/** A mirror of a real server: it is filled, it follows what others do, and it says when it cannot answer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import { never } from '../mail-source/bench.ts'
import { dump, NO_STRAYS, wordsOf } from './dump.ts'
import { KINDS, message, plain } from './mail.ts'
import { type Mirrored, type SyncScene, startSyncScene, syncWell } from './sync-scene.ts'

const SHAPES = [
  { server: 'QRESYNC', without: [] },
  { server: 'CONDSTORE', without: ['QRESYNC'] },
  { server: 'neither', without: ['QRESYNC', 'CONDSTORE'] },
] as const

let number = 0
const fresh = (): string => message(`arrival ${++number}`, plain(`kingfisher ${number}`))

describe.each(SHAPES)('a server that knows $server', ({ without }) => {
  let scene: SyncScene
  let mirrored: Mirrored

  beforeAll(async () => {
    scene = await startSyncScene(without.length === 0 ? {} : { capability: capabilityWithout(...without) })
    await scene.desk.other.seed(
      'INBOX',
      KINDS.map(({ raw }) => ({ raw, received: 1_700_000_000 })),
    )
    await scene.desk.other.seed(
      'Lists',
      Array.from({ length: 30 }, () => ({ raw: fresh(), flags: ['\\Seen'] })),
    )
    mirrored = scene.mirror('shared')
    await syncWell(mirrored)
  })

  afterAll(() => scene.stop())

  /** Everything as a mirror that was made just now has it, or the one that has followed. */
  async function expectAsFresh(): Promise<void> {
    const anew = scene.mirror(`anew ${++number}`)
    await syncWell(anew)
    const [followed, made] = [dump(mirrored.path), dump(anew.path)]
    expect(followed.messages).toEqual(made.messages)
    expect(followed.words).toEqual(made.words)
    expect(followed.folders).toEqual(made.folders)
    expect(followed.strays).toEqual(NO_STRAYS)
  }

  test('is mirrored whole, by what a person sees', async () => {
    const folders = await mirrored.store.folders()
    expect(folders.map(({ mailbox, kept, indexed, filledDownTo }) => [mailbox, kept, indexed, filledDownTo])).toEqual([
      ['INBOX', KINDS.length, KINDS.length, 1],
      ['Lists', 30, 30, 1],
      ['Sent', 0, 0, 1],
      ['Trash', 0, 0, 1],
    ])
    const body = wordsOf(mirrored.path, 'body')
    for (const word of ['albatross', 'bittern', 'dunlin', 'egret', 'kingfisher']) expect(body).toContain(word)
    for (const word of ['secretly', 'curlew', 'fulmar']) expect(body).not.toContain(word)
    const attached = wordsOf(mirrored.path, 'attachments')
    for (const word of ['fulmar', 'café', 'heron', 'regatta']) expect(attached).toContain(word)
    expect(attached).not.toContain('unseen')
    expect([...wordsOf(mirrored.path, 'uncertain body')]).toEqual(['a', 'curlew'])
  })

  test('says at once that nothing has changed', async () => {
    await mirrored.sync.freshen('Lists', never())
    scene.desk.proxy.reset()
    expect(await mirrored.sync.freshen('Lists', never())).toMatchObject({ kept: 30, indexed: 30 })
    expect(scene.desk.proxy.roundTrips()).toBe(1)
  })

  test('what others do is there with the next look, as in a mirror made just now', async () => {
    const { other } = scene.desk
    await other.seed('INBOX', [{ raw: fresh() }, { raw: fresh(), flags: ['\\Flagged', 'work'] }])
    const uids = await other.uids('INBOX')
    await other.imap.messageFlagsAdd(String(uids[0]), ['\\Answered'], { uid: true })
    await other.imap.messageFlagsRemove(String(uids.at(-1)), ['\\Flagged'], { uid: true })
    await other.imap.messageMove(String(uids[1]), 'Lists', { uid: true })
    await other.vanish('INBOX', uids[2] as number)
    const kept = KINDS.length
    expect(await mirrored.sync.freshen('INBOX', never())).toMatchObject({ kept, indexed: kept })
    expect(await mirrored.sync.freshen('Lists', never())).toMatchObject({ kept: 31, indexed: 31 })
    expect(await mirrored.store.uids('INBOX')).toEqual(await other.uids('INBOX'))
    await expectAsFresh()
  })

  test('a folder that was made anew is left to the server, and then mirrored as what it is', async () => {
    const { other } = scene.desk
    await other.imap.mailboxClose()
    await other.imap.mailboxDelete('Lists')
    // Dovecot takes the time for it, in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await other.seed('Lists', [{ raw: fresh() }])
    expect(await mirrored.sync.freshen('Lists', never())).toBeUndefined()
    const report = await syncWell(mirrored)
    expect(report.get('Lists')).toMatchObject({ fetched: 1, indexed: 1, kept: 1 })
    expect(report.get('INBOX')).toMatchObject({ fetched: 0, indexed: 0 })
    await expectAsFresh()
  })

  test('folders come and go', async () => {
    const { other } = scene.desk
    await other.imap.mailboxClose()
    await other.seed('Projects/Ünïcode', [{ raw: fresh() }])
    await other.imap.mailboxDelete('Lists')
    const report = await syncWell(mirrored)
    expect([...report.keys()]).toContain('Projects/Ünïcode')
    expect(await mirrored.store.folder('Lists')).toBeUndefined()
    await expectAsFresh()
  })

  test('two that use the same file: one writes, and the other has what it wrote', async () => {
    const second = scene.mirror('shared')
    const lease = await mirrored.store.lease()
    expect(await second.sync.syncAll(() => undefined, never())).toEqual({ kind: 'busy' })
    await lease?.release()
    await scene.desk.other.seed('INBOX', [{ raw: fresh() }])
    const both = await Promise.all([mirrored, second].map(({ sync }) => sync.freshen('INBOX', never())))
    const [one, two] = both
    expect(one?.kept).toBe(two?.kept)
    expect(one?.indexed).toBe(one?.kept)
    await expectAsFresh()
  })

  test('a mirror of headers holds no text', async () => {
    const headers = scene.mirror('headers', 'headers')
    await syncWell(headers)
    expect(wordsOf(headers.path, 'body').size + wordsOf(headers.path, 'attachments').size).toBe(0)
    expect(wordsOf(headers.path, 'subject')).toContain('arrival')
    expect(await headers.sync.freshen('INBOX', never())).toMatchObject({ depth: 'headers' })
  })
})

test('what comes into the inbox of a server that is followed is there without being asked for', async () => {
  const scene = await startSyncScene()
  const stopping = new AbortController()
  const { sync, store } = scene.mirror('followed')
  const following = sync.follow(stopping.signal)
  try {
    await expect.poll(async () => (await store.folder('INBOX'))?.filledDownTo).toBe(1)
    await scene.desk.other.seed('INBOX', [{ raw: fresh() }])
    await expect.poll(async () => (await store.folder('INBOX'))?.indexed).toBe(1)
  } finally {
    stopping.abort()
    await following
    await scene.stop()
  }
})

test('a server that goes away is told, and the sync goes on when it is back', async () => {
  const scene = await startSyncScene()
  try {
    await scene.desk.dovecot.deliver(
      'ada',
      'INBOX',
      Array.from({ length: 3200 }, () => ({ raw: fresh() })),
    )
    const mirrored = scene.mirror('cut')
    scene.desk.proxy.cutAfter(1_300_000)
    const cut = await mirrored.sync.syncAll(() => undefined, never())
    // One folder was cut off in the middle, and the others were synced all the same.
    expect(cut).toMatchObject({
      folders: [{ mailbox: 'INBOX', failure: { code: 'unavailable' } }, { mailbox: 'Sent' }, { mailbox: 'Trash' }],
    })
    const halfway = (await mirrored.store.folder('INBOX'))?.kept ?? 0
    expect(halfway).toBeGreaterThan(0)
    expect(halfway).toBeLessThan(3200)
    scene.desk.proxy.refuse(true)
    scene.desk.proxy.cutAll()
    await expect(mirrored.sync.syncAll(() => undefined, never())).rejects.toMatchObject({ code: 'unavailable' })
    scene.desk.proxy.refuse(false)
    expect((await syncWell(mirrored)).get('INBOX')).toMatchObject({ kept: 3200 })
    const anew = scene.mirror('anew')
    await syncWell(anew)
    expect(dump(mirrored.path)).toEqual(dump(anew.path))
  } finally {
    await scene.stop()
  }
})
