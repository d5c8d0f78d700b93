/** What a process tells whoever looks for a fault, and nobody else. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mirrorPath } from '../../src/adapters/mirror/file/path.ts'
import { MIRROR_FILE } from '../../src/adapters/mirror/file/schema.ts'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { letter } from '../mail-source/messages.ts'
import { accountAt, INBOX, type Message, request, type Scene, startScene, type Variables } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.close())

const DEBUG: Variables = { POSTERN_DEBUG: '1' }
const mirror = (): string => mirrorPath(join(scene.directory, 'mirror'), 'default')

describe('health', () => {
  let dovecot: Dovecot
  afterEach(() => dovecot?.stop())

  test('how long, how many, how much, and how each account stands', async () => {
    dovecot = await startDovecot({ users: { ada: 'ada-password' } })
    await dovecot.deliver('ada', 'INBOX', [{ raw: letter({ subject: 'one' }) }, { raw: letter({ subject: 'two' }) }])
    const env = { ...DEBUG, ...accountAt(dovecot.port), MAIL_IMAP_DEFAULT_MIRROR: 'headers' }
    const { process } = await scene.greet(INBOX, env)
    let id = 1
    const health = async (): Promise<Message> => {
      id += 1
      process.write(request(id, 'debug/health'))
      return (await process.answer(id))['result'] as Message
    }
    const accountOf = async (): Promise<Message> => ((await health())['accounts'] as Message[])[0] ?? {}
    const memory = { rss_bytes: expect.any(Number), heap_used_bytes: expect.any(Number) }
    const first = await health()
    expect(first).toMatchObject({ uptime_seconds: expect.any(Number), requests: 1, memory })
    expect(await health()).toMatchObject({ requests: 2 })
    await expect.poll(accountOf).toMatchObject({
      id: 'default',
      state: 'connected',
      mirror: { kept: 2, indexed: 2, folders: expect.any(Number) },
    })
    // It may still look through other folders.
    await expect
      .poll(async () => (await accountOf())['connections'])
      .toEqual({ open: expect.any(Number), busy: 0, watching: 1 })
  })

  test('asking connects to nothing and makes no file', async () => {
    dovecot = await startDovecot({ users: { ada: 'ada-password' } })
    const { process } = await scene.greet(INBOX, { ...DEBUG, ...accountAt(dovecot.port) })
    process.write(request(2, 'debug/health'))
    const answer = await process.answer(2)
    expect(answer).toMatchObject({ result: { accounts: [{ id: 'default', state: 'not connected' }] } })
    expect(JSON.stringify(answer)).not.toContain('mirror')
    expect(existsSync(mirror())).toBe(false)
    expect(await dovecot.log()).not.toContain('user=<ada>')
  })
})

test('there is no such method unless a fault is looked for', async () => {
  const { process, answer } = await scene.greet(INBOX)
  process.write(request(2, 'debug/health'))
  expect(await process.answer(2)).toMatchObject({ error: { code: -32601 } })
  expect(answer['result']).not.toHaveProperty('_meta')
})

test('versions come with the greeting when a fault is looked for', async () => {
  const { answer } = await scene.greet(INBOX, DEBUG)
  const { serverInfo, _meta } = answer['result'] as { serverInfo: { version: string }; _meta: Message }
  expect(_meta).toEqual({ version: serverInfo.version, schemaVersion: MIRROR_FILE.scripts.length })
})

describe('a mirror of another version', () => {
  async function mirrorOf(version: number, application = 0x5053_544d): Promise<void> {
    await mkdir(join(scene.directory, 'mirror'))
    const db = new Sqlite(mirror())
    db.exec('create table message (id integer)')
    db.pragma(`application_id = ${application}`)
    db.pragma(`user_version = ${version}`)
    db.close()
  }

  const MIRRORED = { MAIL_IMAP_DEFAULT_MIRROR: 'full' }

  test('a newer one is refused at the start, with what to do', async () => {
    await mirrorOf(MIRROR_FILE.scripts.length + 1)
    const { process, answer } = await scene.greet(INBOX, MIRRORED)
    expect(answer).toMatchObject({ error: { code: -32003, data: { code: 'schema' } } })
    expect(answer['error']).toHaveProperty('message', expect.stringMatching(/upgrade Postern, or run postern forget/))
    expect(await process.exitCode()).toBe(1)
    expect(process.errors).toMatch(/^postern: account "default": the mirror was written by a newer version of Postern/)
  })

  test.each([
    [
      'other sets answer it when it is asked',
      ['serve', '--toolsets', 'imap'],
      MIRROR_FILE.scripts.length + 1,
      undefined,
    ],
    ['an older one is no reason not to start', INBOX, 0, undefined],
    ['what is no mirror says nothing about versions', INBOX, 99, 1],
  ])('%s', async (_name, args, version, application) => {
    await mirrorOf(version, application)
    expect((await scene.greet(args, MIRRORED)).answer).toMatchObject({ result: { serverInfo: { name: 'postern' } } })
  })

  test('it does not matter where mirrors are off', async () => {
    await mirrorOf(MIRROR_FILE.scripts.length + 1)
    expect((await scene.greet(INBOX)).answer).toHaveProperty('result')
  })
})
