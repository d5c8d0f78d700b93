/** A mirror of a Gmail account: it is filled, it follows what others do by Gmail's history, and it lives without it too. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { never } from '../mail-source/bench.ts'
import { dump, NO_STRAYS, wordsOf } from '../mirror/dump.ts'
import { KINDS, message, plain } from '../mirror/mail.ts'
import { type Mirrored, syncWell } from '../mirror/sync-scene.ts'
import { type GmailMirrorScene, gmailMirrorScene } from './mirror-scene.ts'
import { googleError } from './proxy.ts'

let scene: GmailMirrorScene
let mirrored: Mirrored
let lists: string
let number = 0

const fresh = (): string => message(`arrival ${++number}`, plain(`kingfisher ${number}`))

beforeAll(async () => {
  scene = await gmailMirrorScene()
  lists = await scene.gmail.createLabel('Lists')
  for (const [at, { raw }] of KINDS.entries()) await scene.other.deliver(raw, { received: 1_700_000_000 + at })
  for (let at = 0; at < 30; at++) await scene.other.deliver(fresh(), { labels: [lists] })
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
  expect(followed.folders.map(withoutMoment)).toEqual(made.folders.map(withoutMoment))
  expect(followed.strays).toEqual(NO_STRAYS)
}

/** What happens elsewhere in the account need not have moved it on. */
function withoutMoment(line: string): unknown {
  return { ...(JSON.parse(line) as object), modseq: undefined }
}

const NO_HISTORY = { kind: 'answer', status: 404, body: googleError(404, 'notFound', 'NOT_FOUND') } as const
const HISTORY = /^GET [^?]*\/history\?/

test('is mirrored whole, by what a person sees', async () => {
  const folders = await mirrored.store.folders()
  const standing = folders.map(({ mailbox, kept, indexed, filledDownTo }) => [mailbox, kept, indexed, filledDownTo])
  const all = KINDS.length + 30
  expect(standing).toContainEqual(['INBOX', KINDS.length, KINDS.length, 1])
  expect(standing).toContainEqual(['Lists', 30, 30, 1])
  expect(standing).toContainEqual(['All Mail', all, all, 1])
  expect(standing).toContainEqual(['Trash', 0, 0, 1])
  const body = wordsOf(mirrored.path, 'body')
  for (const word of ['albatross', 'bittern', 'dunlin', 'egret', 'kingfisher']) expect(body).toContain(word)
  for (const word of ['secretly', 'curlew', 'fulmar']) expect(body).not.toContain(word)
  const attached = wordsOf(mirrored.path, 'attachments')
  for (const word of ['fulmar', 'café', 'heron', 'regatta']) expect(attached).toContain(word)
})

test('says in one request that nothing has changed; of a label that may have another name, in two at once', async () => {
  scene.gmail.proxy.requests.length = 0
  expect(await mirrored.sync.freshen('INBOX', never())).toMatchObject({ kept: KINDS.length })
  expect(scene.gmail.proxy.requests).toEqual([expect.stringMatching(HISTORY)])
  scene.gmail.proxy.requests.length = 0
  expect(await mirrored.sync.freshen('Lists', never())).toMatchObject({ kept: 30, indexed: 30 })
  const both = [expect.stringContaining('/labels'), expect.stringMatching(HISTORY)]
  expect(scene.gmail.proxy.requests.toSorted((a, b) => b.length - a.length)).toEqual(both.toReversed())
})

test('a sync that finds nothing new asks for labels and history only', async () => {
  await syncWell(mirrored)
  scene.gmail.proxy.requests.length = 0
  await syncWell(mirrored)
  expect(scene.gmail.proxy.requests).toEqual([expect.stringContaining('/labels'), expect.stringMatching(HISTORY)])
})

const inInbox = (): string[] =>
  scene.gmail
    .held()
    .filter(({ labelIds }) => labelIds.includes('INBOX'))
    .map(({ id }) => id)

async function othersAtWork(): Promise<number> {
  const { other } = scene
  const [one, two, three, four] = inInbox() as [string, string, string, string]
  await other.deliver(fresh())
  await other.deliver(fresh(), { labels: ['INBOX', 'STARRED'] })
  await other.label(one, ['STARRED'], ['UNREAD'])
  await other.label(two, [lists], ['INBOX'])
  await other.trash(three)
  await other.remove(four)
  return inInbox().length
}

test('what others do is there with the next look, as in a mirror made just now', async () => {
  const kept = await othersAtWork()
  expect(await mirrored.sync.freshen('INBOX', never())).toMatchObject({ kept, indexed: kept })
  const lines = dump(mirrored.path).messages.filter((line) => line.includes('"mailbox":"INBOX"'))
  expect(lines).toHaveLength(kept)
  await syncWell(mirrored)
  await expectAsFresh()
})

test('the same where Gmail has forgotten its history', async () => {
  await othersAtWork()
  scene.gmail.proxy.fault({ on: HISTORY, times: 1000, what: NO_HISTORY })
  const kept = inInbox().length
  expect(await mirrored.sync.freshen('INBOX', never())).toMatchObject({ kept, indexed: kept })
  await syncWell(mirrored)
  await expectAsFresh()
})
