/** Whatever another mail program does shows in the very next answer, however much or little the server tells of it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newestFirst } from '../../src/core/criteria.ts'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import type { OtherClient } from '../dovecot/other-client.ts'
import { lastingFlags, uidOf } from '../imap/harness.ts'
import { PROGRAM, surroundings } from '../imap/postern.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, passwordFrom, type Stage, startStage, uniform } from '../policy/stage.ts'

const SHAPES = [
  { server: 'QRESYNC', without: [] },
  { server: 'CONDSTORE', without: ['QRESYNC'] },
  { server: 'neither', without: ['QRESYNC', 'CONDSTORE'] },
] as const
const OPERATIONS = Number(process.env['POSTERN_OPERATIONS'] ?? 200)
const BOXES = ['INBOX', 'Lists', 'Projects/Größe']
const WORDS = ['heron', 'egret', 'bittern']

type Operation =
  | {
      readonly kind: 'arrive'
      readonly box: number
      readonly word: number
      readonly age: number
      readonly many: number
    }
  | { readonly kind: 'flag'; readonly box: number; readonly at: number; readonly flag: string; readonly set: boolean }
  | { readonly kind: 'delete'; readonly box: number; readonly at: number }
  | { readonly kind: 'move'; readonly box: number; readonly at: number; readonly to: number }
  | { readonly kind: 'rename' | 'remake' | 'drop'; readonly box: number }
  | { readonly kind: 'sync' }

const box = fc.nat(BOXES.length - 1)
const at = fc.nat(1000)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant('arrive' as const),
      ...{ box, word: fc.nat(WORDS.length - 1), age: fc.nat(50), many: fc.constantFrom(1, 1, 1, 2, 5) },
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant('flag' as const),
      ...{ box, at, flag: fc.constantFrom('\\Seen', '\\Flagged', 'Work'), set: fc.boolean() },
    }),
  },
  { weight: 15, arbitrary: fc.record({ kind: fc.constant('delete' as const), box, at }) },
  { weight: 15, arbitrary: fc.record({ kind: fc.constant('move' as const), box, at, to: box }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('rename' as const, 'remake' as const, 'drop' as const), box }),
  },
  { weight: 3, arbitrary: fc.constant<Operation>({ kind: 'sync' }) },
)

interface Seen {
  readonly uid: number
  readonly received: number
  readonly subject: string
  readonly flags: readonly string[]
}

describe.each(SHAPES)('a server that knows $server', ({ without }) => {
  let stage: Stage
  let agent: Agent
  let other: OtherClient
  let number = 0
  const answered = { mirror: 0, live: 0 }
  const shuffled = { rename: 0, remake: 0, drop: 0 }

  const fresh = (word: number, age: number) => ({
    raw: letter({ subject: `${WORDS[word]} ${++number}`, body: `about the ${WORDS[word]}` }),
    received: 1_700_000_000 - age * 3600,
  })

  beforeAll(async () => {
    stage = await startStage({
      accounts: { ada: { user: 'ada', mirror: 'full', ...passwordFrom('ada') } },
      callers: {
        agent: { policy: 'all', toolsets: ['imap', 'policy'], limits: { per_minute: 100_000, per_hour: 100_000 } },
      },
      policies: { all: { accounts: { ada: [uniform('**', 'FULL')] } } },
      ...(without.length > 0 && { dovecot: { capability: capabilityWithout(...without) } }),
    })
    other = await stage.client('ada')
    for (const name of BOXES)
      await stage.put(
        'ada',
        name,
        [0, 1, 2, 0, 1].map((word) => fresh(word, word)),
      )
    await sync()
    agent = await stage.as('agent')
  })

  afterAll(async () => {
    process.stderr.write(
      `other client, ${without.join(' ') || 'all'}: ${JSON.stringify({ ...answered, ...shuffled })}\n`,
    )
    await stage.close()
  })

  /** As another process; the server may be at it itself, and is waited for. */
  async function sync(): Promise<void> {
    const env = surroundings({}, stage.dataDir)
    const words = [PROGRAM, 'sync', '--config', stage.tree]
    for (;;) {
      const error = await promisify(execFile)(process.execPath, words, { env }).catch((reason: Error) => reason)
      if (!(error instanceof Error)) return
      if (!error.message.includes('another process is syncing it')) throw error
    }
  }

  /** Undefined where there is no such folder. */
  async function truth(mailbox: string): Promise<readonly Seen[] | undefined> {
    const { imap } = other
    try {
      const { exists } = await imap.mailboxOpen(mailbox)
      if (exists === 0) return []
    } catch {
      return undefined
    }
    const found = await imap.fetchAll('1:*', { uid: true, envelope: true, flags: true, internalDate: true })
    return found
      .map(({ uid, envelope, flags, internalDate }) => ({
        ...{ uid, subject: envelope?.subject ?? '', flags: lastingFlags(flags) },
        received: new Date(internalDate ?? 0).getTime() / 1000,
      }))
      .toSorted(newestFirst)
  }

  async function nth(mailbox: string, place: number): Promise<string | undefined> {
    const all = await truth(mailbox)
    return all === undefined || all.length === 0 ? undefined : String(all[place % all.length]?.uid)
  }

  /** Returns the folders that it touched. */
  async function perform(one: Operation): Promise<readonly string[]> {
    const { imap } = other
    if (one.kind === 'sync') {
      await sync()
      return BOXES
    }
    const name = BOXES[one.box] ?? 'INBOX'
    switch (one.kind) {
      case 'arrive':
        if ((await truth(name)) === undefined) await imap.mailboxCreate(name)
        for (let left = one.many; left > 0; left -= 1) {
          const { raw, received } = fresh(one.word, one.age)
          await imap.append(name, raw, [], new Date(received * 1000))
        }
        return [name]
      case 'flag': {
        const uid = await nth(name, one.at)
        if (uid !== undefined && one.set) await imap.messageFlagsAdd(uid, [one.flag], { uid: true })
        if (uid !== undefined && !one.set) await imap.messageFlagsRemove(uid, [one.flag], { uid: true })
        return [name]
      }
      case 'delete': {
        const uid = await nth(name, one.at)
        if (uid !== undefined) await imap.messageDelete(uid, { uid: true })
        return [name]
      }
      case 'move': {
        const to = BOXES[one.to] ?? 'INBOX'
        if ((await truth(to)) === undefined) await imap.mailboxCreate(to)
        const uid = await nth(name, one.at)
        if (uid !== undefined && to !== name) await imap.messageMove(uid, to, { uid: true })
        return [name, to]
      }
      default:
        return shuffle(one.kind, name)
    }
  }

  async function shuffle(kind: 'rename' | 'remake' | 'drop', name: string): Promise<readonly string[]> {
    const { imap } = other
    if (name === 'INBOX' || (await truth(name)) === undefined) return [name]
    await imap.mailboxClose()
    // A Dovecot that has a folder open in one process while another deletes it may call the new one deleted as well.
    await sync()
    shuffled[kind] += 1
    if (kind === 'rename') {
      const away = `Away ${++number}`
      await imap.mailboxRename(name, away)
      return [name, away]
    }
    await imap.mailboxDelete(name)
    if (kind === 'remake') {
      await imap.mailboxCreate(name)
      const { raw, received } = fresh(0, 1)
      await imap.append(name, raw, [], new Date(received * 1000))
    }
    return [name]
  }

  async function expectSeen(folder: string): Promise<void> {
    const seen = await truth(folder)
    const where = { account: 'ada', folder }
    const word = WORDS[number % WORDS.length] ?? ''
    if (seen === undefined) {
      for (const tool of ['search', 'list_messages', 'folder_stats']) {
        expect(await agent.ask(tool, where)).toMatchObject({ error_type: 'folder_not_found' })
      }
      return
    }
    const about = seen.filter(({ subject }) => subject.includes(word))
    const found = await agent.ask('search', { ...where, query: word, limit: 500 })
    expect(found.uids).toEqual(about.map(({ uid }) => uid))
    expect(found).toMatchObject({ matched_total: about.length, matched_visible: about.length, has_more: false })
    const { source } = found['coverage'] as { source: 'mirror' | 'live' }
    answered[source] += 1
    const starred = await agent.ask('search', { ...where, query: 'is:starred keyword:Work', limit: 500 })
    const isStarred = ({ flags }: Seen): boolean => flags.includes('\\Flagged') && flags.includes('Work')
    expect(starred.uids).toEqual(seen.filter(isStarred).map(({ uid }) => uid))
    const listed = await agent.ask('list_messages', { ...where, limit: 200 })
    const shown = listed.messages.map(({ uid, subject, flags }) => ({
      ...{ uid, subject, flags: lastingFlags(flags as readonly string[]) },
    }))
    expect(shown).toEqual(seen.slice(0, 200).map(({ uid, subject, flags }) => ({ uid, subject, flags })))
    expect(await agent.ask('folder_stats', where)).toMatchObject({ visible_count: seen.length, hidden_count: 0 })
    const unread = { account_id: 'ada', mailbox: folder, unread_only: true, subject: word, limit: 50 }
    const { data } = await agent.postern.call('imap_search_messages', unread)
    const wanted = about.filter(({ flags }) => !flags.includes('\\Seen'))
    expect(data.messages.map(({ message_id }) => uidOf(message_id))).toEqual(wanted.slice(0, 50).map(({ uid }) => uid))
    expect(data.total).toBe(wanted.length)
  }

  test.each(['rename', 'remake', 'drop'] as const)('a folder: %s', async (kind) => {
    const name = 'Lists'
    await perform({ kind: 'arrive', box: 1, word: 0, age: 0, many: 2 })
    await sync()
    const before = answered.mirror
    await expectSeen(name)
    expect(answered.mirror).toBe(before + 1)
    for (const touched of await shuffle(kind, name)) await expectSeen(touched)
    await sync()
    await expectSeen(name)
  })

  test(`${OPERATIONS} operations`, { timeout: 600_000 }, async () => {
    const operations = fc.array(operation, { minLength: OPERATIONS, maxLength: OPERATIONS })
    await fc.assert(
      fc.asyncProperty(operations, async (all) => {
        for (const [place, one] of all.entries()) {
          const touched = await perform(one)
          for (const name of new Set(touched)) {
            await expectSeen(name).catch((error: unknown) => {
              throw new Error(`operation ${place}, ${JSON.stringify(one)}, in ${name}`, { cause: error })
            })
          }
        }
      }),
      { numRuns: 1, endOnFailure: true },
    )
    expect(answered.mirror).toBeGreaterThan(OPERATIONS / 4)
  })
})
