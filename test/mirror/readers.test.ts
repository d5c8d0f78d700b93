/** Five servers answer while another process fills and changes the mirror that they all share: none fails, none is wrong. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { lastingFlags, uidOf } from '../imap/harness.ts'
import { PROGRAM, surroundings } from '../imap/postern.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, passwordFrom, type Stage, startStage, uniform } from '../policy/stage.ts'

const READERS = 5
const MESSAGES = 3000
const WORDS = ['heron', 'egret', 'bittern']
const NAMES = Array.from({ length: READERS }, (_, at) => `reader${at}`)

let stage: Stage
let agents: readonly Agent[]

beforeAll(async () => {
  const limits = { per_minute: 100_000, per_hour: 100_000 }
  stage = await startStage({
    accounts: { ada: { user: 'ada', mirror: 'full', ...passwordFrom('ada') } },
    callers: Object.fromEntries(NAMES.map((id) => [id, { policy: 'all', toolsets: ['imap', 'policy'], limits }])),
    policies: { all: { accounts: { ada: [uniform('**', 'FULL')] } } },
  })
  const letters = Array.from({ length: MESSAGES }, (_, at) => ({
    raw: letter({ subject: `about ${at}`, body: `the ${wordAt(at)} of ${at} ${'marsh '.repeat(at % 50)}` }),
    received: 1_600_000_000 + at * 60,
  }))
  await stage.dovecot.deliver('ada', 'INBOX', letters)
  await stage.dovecot.deliver('ada', 'Archive', letters.slice(0, 500))
})

afterAll(() => stage.close())

const wordAt = (at: number): string => WORDS[at % WORDS.length] ?? ''

/** Resolves with its exit code. */
function sync(): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM, 'sync', '--config', stage.tree], {
    env: surroundings({}, stage.dataDir),
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return once(child, 'exit').then(([code]) => code as number)
}

/** The newest of those that have a word, as uids: the one that came last has the largest. */
function newest(messages: number, word: string, most: number): number[] {
  const uids = Array.from({ length: messages }, (_, at) => messages - at).filter((uid) => wordAt(uid - 1) === word)
  return uids.slice(0, most)
}

interface Told {
  readonly source: string
}

async function askOnce({ ask, postern }: Agent, round: number): Promise<Told> {
  const word = wordAt(round)
  const archive = await ask('search', { account: 'ada', folder: 'Archive', query: `body:${word}`, limit: 20 })
  expect(archive.uids).toEqual(newest(500, word, 20))
  expect(archive['matched_total']).toBe(newest(500, word, 500).length)
  const inbox = await ask('list_messages', { account: 'ada', folder: 'INBOX', limit: 5 })
  expect(inbox.messages.map(({ uid }) => uid)).toEqual([1, 2, 3, 4, 5].map((at) => MESSAGES + 1 - at))
  expect(await ask('folder_stats', { account: 'ada', folder: 'INBOX' })).toMatchObject({ visible_count: MESSAGES })
  const number = (round * 37) % MESSAGES
  const subject = { account_id: 'ada', mailbox: 'INBOX', subject: `about ${number}`, limit: 50 }
  const { data } = await postern.call('imap_search_messages', subject)
  expect(data.messages.map(({ message_id }) => uidOf(message_id))).toContain(number + 1)
  return archive['coverage'] as Told
}

test('while the mirror is first filled', { timeout: 300_000 }, async () => {
  agents = await Promise.all(NAMES.map((name) => stage.as(name)))
  const sources = new Set<string>()
  let isDone = false
  const syncing = sync().finally(() => {
    isDone = true
  })
  const reading = agents.map(async (agent, at) => {
    for (let round = at; !isDone || round < at + 10; round += READERS) {
      sources.add((await askOnce(agent, round)).source)
    }
  })
  await Promise.all(reading)
  expect([0, 1]).toContain(await syncing)
  // Whoever came first may have been one of the servers.
  const settled = async (): Promise<string[]> => Promise.all(agents.map(async (one) => (await askOnce(one, 1)).source))
  await expect.poll(settled, { timeout: 120_000 }).toEqual(NAMES.map(() => 'mirror'))
  expect([...sources].every((source) => source === 'mirror' || source === 'live')).toBe(true)
})

test('while others change the mail and it is synced over and over', { timeout: 300_000 }, async () => {
  const other = await stage.client('ada')
  let isDone = false
  const readers = agents.map(async ({ ask }) => {
    let asked = 0
    for (; !isDone || asked < 5; asked += 1) {
      const found = await ask('search', {
        account: 'ada',
        folder: 'INBOX',
        query: 'subject:about is:starred',
        limit: 500,
      })
      // Those that were starred, from the first one on, and never one of them without those before it.
      expect(found.uids).toEqual(Array.from({ length: found.uids.length }, (_, at) => found.uids.length - at))
      const listed = await ask('list_messages', { account: 'ada', folder: 'Archive', limit: 3 })
      expect(listed.messages.map(({ uid }) => uid)).toEqual([500, 499, 498])
    }
    return asked
  })
  const syncs: number[] = []
  for (let uid = 1; uid <= 60; uid += 1) {
    await other.imap.mailboxOpen('INBOX')
    await other.imap.messageFlagsAdd(String(uid), ['\\Flagged'], { uid: true })
    if (uid % 15 === 0) syncs.push(await sync())
    else await pause(5)
  }
  isDone = true
  expect((await Promise.all(readers)).every((asked) => asked >= 5)).toBe(true)
  expect(syncs.every((code) => code === 0 || code === 1)).toBe(true)
  for (const { ask } of agents) {
    const found = await ask('search', { account: 'ada', folder: 'INBOX', query: 'is:starred', limit: 500 })
    expect(found.uids).toEqual(Array.from({ length: 60 }, (_, at) => 60 - at))
    const { messages } = await ask('list_messages', { account: 'ada', folder: 'INBOX', limit: 1 })
    expect(lastingFlags(messages[0]?.['flags'] as readonly string[])).toEqual([])
  }
})
