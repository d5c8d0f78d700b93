/** A sync that is killed at any moment, and taken up again, leads to what one that was never killed leads to. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { PASSWORD, USER } from '../dovecot/desk.ts'
import { dump, NO_STRAYS } from './dump.ts'
import { html, message, plain } from './mail.ts'
import { type SyncScene, startSyncScene, syncWell } from './sync-scene.ts'

const MESSAGES = 3300
/** What one FETCH brings. */
const BATCH = 1500

let scene: SyncScene
let number = 0

beforeAll(async () => {
  scene = await startSyncScene()
  await scene.desk.dovecot.deliver(USER, 'INBOX', letters(MESSAGES))
  await scene.desk.dovecot.deliver(USER, 'Archive', letters(300))
})

afterAll(() => scene.stop())

function letters(count: number) {
  return Array.from({ length: count }, () => {
    const words = `wigeon ${++number} ${'of the northern marshes '.repeat(number % 20)}`
    const body = number % 4 === 0 ? html(`<p>${words}</p>`) : plain(words)
    return { raw: message(`letter ${number}`, body), received: 1_600_000_000 + number * 60 }
  })
}

/**
 * Syncs in a process of its own, which is killed that long after it said its nth step; without a delay it waits there for its end.
 * Returns whether it lived to the end.
 */
async function syncOnce(path: string, killAt = Number.POSITIVE_INFINITY, delayMs = 0) {
  const account = [String(scene.desk.dovecot.port), USER, PASSWORD]
  const words = [join(import.meta.dirname, 'syncer.ts'), ...account, path, delayMs === 0 ? String(killAt) : '']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const said: string[] = []
  let steps = 0
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    if (line.startsWith('step') && ++steps === killAt) {
      await pause(delayMs)
      child.kill('SIGKILL')
    }
  }
  await ended
  const rows = said.filter((line) => line.startsWith('rows')).reduce((sum, line) => sum + Number(line.slice(5)), 0)
  return { isDone: said.at(-1) === 'done', steps, rows }
}

/** Kills it now and then until it is done: early, in the middle, and wherever chance has it. */
async function syncWithKills(path: string, kills: number) {
  let [rows, killed] = [0, 0]
  for (let round = 0; ; round += 1) {
    // The first one never lives to the end.
    const [within, delay] = round === 0 ? [3, 0] : [8, 30]
    const killAt = round < kills ? 1 + Math.floor(Math.random() * within) : undefined
    const run = await syncOnce(path, killAt, Math.random() * delay)
    rows += run.rows
    if (run.isDone) return { rows, killed }
    if (killAt === undefined) throw new Error('the last run did not end well')
    killed += 1
  }
}

test('the first sync', { timeout: 300_000 }, async () => {
  const path = join(scene.directory, 'killed.db')
  const { rows, killed } = await syncWithKills(path, 6)
  expect(killed).toBeGreaterThan(0)
  // Nothing is fetched again but what was on its way when it was killed.
  expect(rows).toBeLessThanOrEqual(MESSAGES + 300 + killed * BATCH)
  const anew = scene.mirror('anew')
  await syncWell(anew)
  const [taken, made] = [dump(path), dump(anew.path)]
  expect(taken.messages).toHaveLength(MESSAGES + 300)
  expect(taken).toEqual(made)
  expect(taken.strays).toEqual(NO_STRAYS)
})

test('what others did meanwhile', { timeout: 300_000 }, async () => {
  const path = join(scene.directory, 'delta.db')
  await syncOnce(path)
  const { other, dovecot } = scene.desk
  const uids = await other.uids('INBOX')
  await other.imap.messageFlagsAdd(uids.filter((uid) => uid % 3 === 0).join(','), ['\\Flagged'], { uid: true })
  await other.imap.messageDelete(uids.filter((uid) => uid % 10 === 0).join(','), { uid: true })
  await other.imap.messageMove(uids.filter((uid) => uid % 10 === 1).join(','), 'Archive', { uid: true })
  for (const { raw, received } of letters(30)) await other.imap.append('INBOX', raw, [], new Date(received * 1000))
  await dovecot.deliver(USER, 'Much', letters(500))
  const { killed } = await syncWithKills(path, 4)
  expect(killed).toBeGreaterThan(0)
  const anew = scene.mirror('anew after')
  await syncWell(anew)
  const [taken, made] = [dump(path), dump(anew.path)]
  expect(taken.messages).toEqual(made.messages)
  expect(taken.words).toEqual(made.words)
  expect(taken.folders).toEqual(made.folders)
  expect(taken.strays).toEqual(NO_STRAYS)
})

test('while one process syncs, others read, and none of them writes', { timeout: 300_000 }, async () => {
  const path = join(scene.directory, 'read.db')
  const syncing = syncOnce(path)
  const readers = Array.from({ length: 4 }, () => scene.mirror('read'))
  await expect
    .poll(async () => (await readers[0]?.store.folder('INBOX'))?.kept ?? 0, { timeout: 60_000 })
    .toBeGreaterThan(0)
  const seen = await Promise.all(
    readers.map(async ({ store, sync }) => {
      const busy = await sync.syncAll(() => undefined, new AbortController().signal)
      const folder = await store.folder('INBOX')
      const uids = await store.uids('INBOX')
      return { busy: busy.kind, isWhole: folder !== undefined && uids.length >= folder.kept }
    }),
  )
  expect((await syncing).isDone).toBe(true)
  expect(seen.every(({ isWhole }) => isWhole)).toBe(true)
  expect(seen.map(({ busy }) => busy)).toEqual(readers.map(() => 'busy'))
})
