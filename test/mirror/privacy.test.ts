/** What is kept of somebody's mail: for its owner's eyes, no more than was asked for, and gone when it is to be gone. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createMirrorStore } from '../../src/adapters/mirror/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { account, PROGRAM, passwordOf, startPostern, surroundings } from '../imap/postern.ts'
import { expectNoSecret } from '../imap/secret-forms.ts'
import { wordsOf } from './dump.ts'
import { file, html, message, plain, several } from './mail.ts'

const USER = 'ada'
/**
 * Each named for where it stands. An index writes of a word what sets it off from the one before it: no other one begins as
 * any of these does, so that all but the first two letters are sure to be written.
 */
const SUBJECT = 'uvsubjectcanary'
const SENDER = 'oisendercanary'
const NAME = 'yknamecanary'
const BODIES = [
  'qxplaincanary',
  'vbpagecanary',
  'zkhiddencanary',
  'jwattachedcanary',
  'xgcalendarcanary',
  'wqunshowncanary',
  'tjfirstcanary',
]

const CALENDAR = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'SUMMARY:xgcalendarcanary',
  'DTSTART:20240101T100000Z',
  'END:VEVENT',
  'END:VCALENDAR',
]

let dovecot: Dovecot

beforeAll(async () => {
  dovecot = await startDovecot({ users: { [USER]: passwordOf(USER) } })
  const raw = [
    message(SUBJECT, plain('qxplaincanary stands here')),
    message('a page', html('<p>vbpagecanary</p><p hidden>zkhiddencanary</p>')),
    message('both', several('alternative', plain('see the page'), html('<p>see the page</p><!-- wqunshowncanary -->'))),
    message('long', plain(`${'filler '.repeat(40)}tjfirstcanary hmsecondcanary`)),
    message(
      'files',
      several(
        'mixed',
        plain('see below'),
        file('text/plain', `${NAME}.txt`, Buffer.from('jwattachedcanary')),
        file('text/calendar', 'x.ics', Buffer.from(CALENDAR.join('\r\n'))),
      ),
    ),
  ].map((one) => one.replace('Ada Lovelace', SENDER))
  const filler = Array.from({ length: 3000 }, (_, at) => message(`filler ${at}`, plain(`nothing in it ${at}`)))
  await dovecot.deliver(
    USER,
    'INBOX',
    raw.map((one) => ({ raw: one })),
  )
  await dovecot.deliver(
    USER,
    'Much',
    filler.map((one) => ({ raw: one })),
  )
})

afterAll(() => dovecot.stop())

interface Place {
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
}

async function place(depth: 'headers' | 'full'): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-private-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return { directory, env: { ...account('default', dovecot.port, USER), MAIL_IMAP_DEFAULT_MIRROR: depth } }
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The mask of somebody who lets everybody read everything. */
function start({ directory, env }: Place, ...words: string[]): { readonly child: ChildProcess; ended: Promise<Ended> } {
  const args = ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, PROGRAM, ...words]
  const child = spawn('/bin/sh', args, { env: surroundings(env, directory), stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => {
    said.stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString()
  })
  const ended = once(child, 'close').then(async ([code]) => {
    await expectNoSecret(env, said, directory)
    return { code: code as number | null, ...said }
  })
  return { child, ended }
}

async function run(where: Place, ...words: string[]): Promise<Ended> {
  return start(where, ...words).ended
}

/** Everything below a directory that holds a word, written in either of the ways in which a database writes text. */
function holding(directory: string, word: string): string[] {
  const sure = word.slice(2)
  const forms = [sure, Buffer.from(sure, 'utf16le').toString('latin1')]
  // A lock is empty; to look into one of ours would be to lose it.
  const locks = filesBelow(directory).filter(isLock)
  expect(locks.filter((path) => statSync(path).size > 0)).toEqual([])
  return filesBelow(directory).filter((path) => {
    if (isLock(path)) return false
    // One that is gone by now holds nothing.
    const bytes = existsSync(path) ? readFileSync(path, 'latin1').toLowerCase() : ''
    return forms.some((form) => bytes.includes(form))
  })
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
}

const isLock = (path: string): boolean => path.endsWith('.lease')
const isWal = (path: string): boolean => path.endsWith('-wal')
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test("files are their owner's alone from the first moment", async () => {
  const where = await place('full')
  const mirrors = join(where.directory, 'mirror')
  const seen = new Map<string, Set<string>>()
  const look = (): void => {
    if (!existsSync(mirrors)) return
    for (const path of [mirrors, ...readdirSync(mirrors).map((name) => join(mirrors, name))]) {
      try {
        seen.set(path, (seen.get(path) ?? new Set()).add(modeOf(path)))
      } catch {
        // It was gone before it could be looked at.
      }
    }
  }
  const watcher = watch(where.directory, { recursive: true }, look)
  onTestFinished(() => watcher.close())
  const { ended } = start(where, 'sync')
  let isDone = false
  void ended.finally(() => {
    isDone = true
  })
  while (!isDone) {
    look()
    await pause(1)
  }
  expect((await ended).code).toBe(0)
  look()
  const modes = [...seen].map(([path, all]) => [path === mirrors ? 'directory' : 'file', ...all])
  expect(modes.filter(([kind]) => kind === 'directory')).toEqual([['directory', '700']])
  expect(modes.filter(([kind]) => kind === 'file').length).toBeGreaterThanOrEqual(3)
  for (const [, ...all] of modes.filter(([kind]) => kind === 'file')) expect(all).toEqual(['600'])
  expect([...seen.keys()].some(isWal)).toBe(true)
})

test('a file that others could read is closed to them when it is next used', async () => {
  const where = await place('headers')
  await run(where, 'sync')
  const [path = ''] = filesBelow(join(where.directory, 'mirror')).filter((one) => one.endsWith('.db'))
  await chmod(path, 0o644)
  await run(where, 'sync')
  expect(modeOf(path)).toBe('600')
})

test('a mirror of headers holds no word of any body', async () => {
  const where = await place('headers')
  // A server that reads, searches and shows everything, with the mirror open and its log of changes not yet put away.
  expect((await run(where, 'sync')).code).toBe(0)
  const postern = await startPostern(where.env, where.directory)
  const { data } = await postern.call('imap_search_messages', {
    account_id: 'default',
    mailbox: 'INBOX',
    query: 'qxplaincanary',
    limit: 10,
  })
  expect(data.messages.map(({ subject }) => subject)).toEqual([SUBJECT])
  const [shown] = data.messages
  const asked = { account_id: 'default', message_id: shown?.message_id }
  expect((await postern.call('imap_get_message', asked)).data.message.body_text).toContain('qxplaincanary')
  await postern.call('imap_search_messages', {
    account_id: 'default',
    mailbox: 'INBOX',
    include_snippet: true,
    limit: 50,
  })
  const mirrors = join(where.directory, 'mirror')
  expect(filesBelow(mirrors).length).toBeGreaterThan(0)
  for (const word of BODIES) expect(holding(where.directory, word)).toEqual([])
  await postern.close()
  for (const word of BODIES) expect(holding(where.directory, word)).toEqual([])
  // Whoever could not see what is there could not see what is not.
  for (const word of [SUBJECT, SENDER]) expect(holding(mirrors, word)).not.toEqual([])
})

test('a full mirror holds what is shown, and nothing that is hidden', async () => {
  const where = await place('full')
  await run(where, 'sync')
  const mirrors = join(where.directory, 'mirror')
  for (const word of ['qxplaincanary', 'vbpagecanary', 'jwattachedcanary', 'xgcalendarcanary', NAME]) {
    expect(holding(mirrors, word)).not.toEqual([])
  }
  for (const word of ['zkhiddencanary', 'wqunshowncanary']) expect(holding(mirrors, word)).toEqual([])
  // Beyond the first 200 characters words are indexed, and no text is kept.
  expect(holding(mirrors, 'tjfirstcanary')).not.toEqual([])
  expect(holding(mirrors, 'tjfirstcanary hmsecondcanary')).toEqual([])
})

test('an account that is forgotten leaves no trace', async () => {
  const where = await place('full')
  await run(where, 'sync')
  const asked = await run(where, 'forget', 'default')
  expect(asked).toMatchObject({ code: 1, stdout: '' })
  expect(asked.stderr).toContain('--yes')
  expect(filesBelow(join(where.directory, 'mirror')).filter((path) => !isLock(path))).toHaveLength(1)
  const { code, stdout, stderr } = await run(where, 'forget', 'default', '--yes')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Removed all that was kept of account default: 3,005 messages in 4 folders\.\n$/)
  expect(filesBelow(join(where.directory, 'mirror'))).toEqual([])
  for (const word of [...BODIES, SUBJECT, SENDER, NAME]) expect(holding(where.directory, word)).toEqual([])
  expect((await run(where, 'forget', 'default', '--yes')).stdout).toContain('nothing is kept')
})

test('what a mirror that was full has kept leaves the file when it is to hold headers only', async () => {
  const where = await place('full')
  await run(where, 'sync')
  const [path = ''] = filesBelow(join(where.directory, 'mirror')).filter((one) => one.endsWith('.db'))
  expect(wordsOf(path, 'body')).toContain('qxplaincanary')
  const shallow = { ...where, env: { ...where.env, MAIL_IMAP_DEFAULT_MIRROR: 'headers' } }
  expect((await run(shallow, 'sync')).code).toBe(0)
  expect(wordsOf(path, 'body').size + wordsOf(path, 'attachments').size).toBe(0)
  expect(wordsOf(path, 'subject')).toContain(SUBJECT)
  expect(holding(join(where.directory, 'mirror'), 'qxplaincanary')).toEqual([])
})

test('a server that has a mirror open lets go of it when it is forgotten', async () => {
  const where = await place('full')
  await run(where, 'sync')
  const path = filesBelow(join(where.directory, 'mirror')).find((one) => one.endsWith('.db')) ?? ''
  const store = createMirrorStore({ path, clock: systemClock, locks: fileLocks, databases: databaseFiles })
  expect(await store.folder('INBOX')).toMatchObject({ mailbox: 'INBOX' })
  expect((await run(where, 'forget', 'default', '--yes')).code).toBe(0)
  expect(await store.folder('INBOX')).toBeUndefined()
  await store.close()
})

test('nothing is forgotten while another process syncs it', async () => {
  const where = await place('full')
  await run(where, 'sync')
  const mirrors = join(where.directory, 'mirror')
  const path = filesBelow(mirrors).find((one) => one.endsWith('.db')) ?? ''
  const store = createMirrorStore({ path, clock: systemClock, locks: fileLocks, databases: databaseFiles })
  const lease = await store.lease()
  const refused = await run(where, 'forget', 'default', '--yes')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/account default is being synced by another process; stop it, then run this again/)
  expect(holding(mirrors, 'qxplaincanary')).not.toEqual([])
  expect((await run(where, 'sync')).code).not.toBe(0)
  await lease?.release()
  await store.close()
  expect((await run(where, 'forget', 'default', '--yes')).code).toBe(0)
  expect(filesBelow(mirrors)).toEqual([])
})
