/** A damaged mirror is only a damaged copy: the server is asked, and the mirror is built again, in whichever process finds it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '../../src/adapters/log/log.ts'
import { leaseOf } from '../../src/adapters/mirror/file/lease.ts'
import { mirrorPath, setAsidePath } from '../../src/adapters/mirror/file/path.ts'
import { mirrorCheck } from '../../src/engine/doctor/checks/mirror.ts'
import { openDoctor } from '../../src/house/doctor.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, passwordFrom, type Stage, startStage, uniform } from '../policy/stage.ts'

const WHERE = { account: 'ada', folder: 'INBOX' }
let stage: Stage
/** Two processes. */
let agents: readonly [Agent, Agent]
let path: string

beforeAll(async () => {
  const limits = { per_minute: 10_000, per_hour: 10_000 }
  stage = await startStage({
    accounts: { ada: { user: 'ada', mirror: 'full', ...passwordFrom('ada') } },
    callers: { one: { policy: 'open', toolsets: ['policy'], limits }, two: { policy: 'open', limits } },
    policies: { open: { accounts: { ada: [uniform('**', 'FULL')] } } },
  })
  const letters = Array.from({ length: 60 }, (_, i) =>
    letter({ subject: `letter ${i}`, body: `word${i} `.repeat(200) }),
  )
  await stage.put('ada', 'INBOX', letters)
  agents = [await stage.as('one'), await stage.as('two')]
  path = mirrorPath(join(stage.dataDir, 'mirror'), 'ada')
  await inMirror()
})
afterAll(() => stage.close())

/** Until both answer from the mirror. */
async function inMirror(): Promise<void> {
  for (const { ask } of agents) {
    const coverage = async (): Promise<unknown> => (await ask('search', { ...WHERE, query: 'letter' }))['coverage']
    await vi.waitFor(async () => expect(await coverage()).toMatchObject({ source: 'mirror', complete: true }), 60_000)
  }
}

/** The file as one, without what SQLite keeps beside it. */
function settled(): Buffer {
  const db = new Sqlite(path)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  return readFileSync(path)
}

const DAMAGES: readonly [string, () => void][] = [
  [
    'no database at all',
    () => {
      settled()
      writeFileSync(path, 'no database at all '.repeat(5000))
    },
  ],
  ['cut off in the middle', () => writeFileSync(path, settled().subarray(0, 10_000))],
  [
    'overwritten in most pages',
    () => {
      const bytes = settled()
      for (let page = 2; page * 4096 < bytes.length; page += 1) bytes.fill(0xaa, page * 4096, page * 4096 + 2048)
      writeFileSync(path, bytes)
    },
  ],
  [
    'replaced by what is no database, and its lock too',
    () => {
      settled()
      for (const file of [path, leaseOf(path)]) {
        rmSync(file)
        writeFileSync(file, 'rubbish '.repeat(2000))
      }
    },
  ],
]

test.each(DAMAGES)('%s', async (_what, damage) => {
  rmSync(setAsidePath(path), { force: true })
  damage()
  for (const { ask } of agents) {
    const listed = await ask('list_messages', WHERE)
    expect(listed.messages.map(({ subject }) => subject).slice(0, 2)).toEqual(['letter 59', 'letter 58'])
    expect(await ask('search', { ...WHERE, query: 'word7' })).toMatchObject({ decision: 'ALLOW', matched_visible: 1 })
    expect(await ask('folder_stats', WHERE)).toMatchObject({ visible_count: 60 })
  }
  await inMirror()
  expect(existsSync(setAsidePath(path))).toBe(true)
})

test('the doctor says so, and names what to remove', async () => {
  const log = createLog({ level: 'silent' })
  const env = { POSTERN_CONFIG_DIR: stage.tree, POSTERN_DATA_DIR: stage.dataDir, HOME: stage.dataDir }
  const { world, close } = openDoctor(undefined, { env, platform: process.platform, log, program: 'postern' })
  const findings = await mirrorCheck.run(world, new AbortController().signal)
  await close()
  expect(findings).toContainEqual(
    expect.objectContaining({
      verdict: 'warning',
      subject: 'ada',
      cure: expect.stringContaining(`rm ${setAsidePath(path)}`),
    }),
  )
})

test('the log says so, and names no mail', async () => {
  const told = agents.map(({ postern }) => postern.output.stderr).join('')
  expect(told).toContain('was damaged: it was set aside and is built again')
  expect(told).not.toMatch(/word\d/)
})
