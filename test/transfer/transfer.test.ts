/** Moves and copies between accounts, through the built program and a real mail server. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROGRAM, surroundings } from '../imap/postern.ts'
import { type Folder, type Stage, startStage } from '../policy/stage.ts'
import { contents } from './contents.ts'

const OPEN: Omit<Folder, 'path'> = { mode: 'blacklist', default: 'FULL', move_out: true, accept_incoming: true }

let stage: Stage

beforeAll(async () => {
  const folders = ['INBOX', 'Archive', 'Missing'].map((path) => ({ path, ...OPEN }))
  stage = await startStage({
    users: ['ada', 'bob'],
    callers: { mover: { policy: 'mover' }, other: { policy: 'mover' } },
    accounts: { old: { provider: 'local' } },
    policies: { mover: { accounts: { ada: folders, bob: folders, old: [{ path: '**', ...OPEN }] } } },
  })
  await (await stage.client('bob')).imap.mailboxCreate('Archive')
})
afterAll(() => stage.close())

const letter = (subject: string): string =>
  `From: a@x.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@x>\r\n\r\nbody of ${subject}\r\n`

async function subjects(user: string, folder: string): Promise<readonly string[]> {
  return (await contents((await stage.client(user)).imap, folder)).map(({ subject }) => subject)
}

test('a move carries the message, its flags and its date, and takes the original away', async () => {
  const [uid] = await stage.put('ada', 'INBOX', [{ raw: letter('one'), flags: ['\\Flagged', 'work'] }])
  const mover = await stage.as('mover')
  const answer = await mover.ask('move', {
    source: { account: 'ada', folder: 'INBOX', uid },
    target: { account: 'bob', folder: 'Archive' },
  })
  expect(answer).toMatchObject({ decision: 'ALLOW', result: 'OK', mechanism: 'saga' })
  expect(await subjects('ada', 'INBOX')).toEqual([])
  expect(await subjects('bob', 'Archive')).toEqual(['one'])
  const status = await mover.ask('get_transaction_status', { tx_id: answer['tx_id'] })
  expect(status).toMatchObject({ state: 'committed', src_account: 'ada', dst_account: 'bob', retry_count: 0 })
  const other = await stage.as('other')
  expect(await other.ask('get_transaction_status', { tx_id: answer['tx_id'] })).toMatchObject({ state: 'unknown' })
})

test('several at once each have their own ending', async () => {
  const uids = await stage.put('ada', 'INBOX', ['a', 'b', 'c'].map(letter))
  const mover = await stage.as('mover')
  const answer = await mover.ask('move', {
    source: { account: 'ada', folder: 'INBOX', uids: [...uids, 99_999] },
    target: { account: 'bob', folder: 'Archive' },
  })
  expect(answer).toMatchObject({
    results: [
      ...uids.map((uid) => ({ uid, result: 'OK', tx_id: expect.any(String) })),
      { uid: 99_999, result: 'ERROR', error_type: 'uid_not_found' },
    ],
  })
  expect(await subjects('ada', 'INBOX')).toEqual([])
  expect((await subjects('bob', 'Archive')).toSorted()).toEqual(['a', 'b', 'c', 'one'])
})

test('a copy leaves the original, and a destination that is not there leaves everything', async () => {
  const [uid] = await stage.put('ada', 'INBOX', [letter('kept')])
  const mover = await stage.as('mover')
  const source = { account: 'ada', folder: 'INBOX', uid }
  expect(await mover.ask('copy', { source, target: { account: 'bob', folder: 'Archive' } })).toMatchObject({
    result: 'OK',
  })
  expect(await mover.ask('move', { source, target: { account: 'bob', folder: 'Missing' } })).toMatchObject({
    result: 'ERROR',
    error_type: 'target_folder_missing',
  })
  expect(await subjects('ada', 'INBOX')).toEqual(['kept'])
})

test('mail imported from an mbox file, with its bare LFs, is copied and moved once', async () => {
  const file = join(stage.dataDir, 'old.mbox')
  const mbox = ['mbox one', 'mbox two'].map(
    (name) => `From a@x Sat Jan  3 01:05:34 2009\n${letter(name).replaceAll('\r', '')}\n`,
  )
  await writeFile(file, mbox.join(''))
  const env = surroundings({ POSTERN_CONFIG_DIR: stage.tree }, stage.dataDir)
  await promisify(execFile)(process.execPath, [PROGRAM, 'import', file, '--account', 'old'], { env })
  const mover = await stage.as('mover')
  const folders = (await mover.ask('list_folders', { account: 'old' }))['folders']
  const folder = (folders as readonly { path: string; message_count: number }[]).find((one) => one.message_count === 2)
  const { uids } = await mover.ask('search', { account: 'old', folder: folder?.path })
  const [one, two] = uids as readonly number[]
  const target = { account: 'bob', folder: 'Archive' }
  const carry = (tool: string, uid: number | undefined): Promise<Record<string, unknown>> =>
    mover.ask(tool, { source: { account: 'old', folder: folder?.path, uid }, target })
  expect(await carry('copy', one)).toMatchObject({ result: 'OK', mechanism: 'saga' })
  expect(await carry('move', two)).toMatchObject({ result: 'OK', mechanism: 'saga' })
  const there = (await subjects('bob', 'Archive')).filter((subject) => subject.startsWith('mbox'))
  expect(there.toSorted()).toEqual(['mbox one', 'mbox two'])
  expect(await mover.ask('search', { account: 'old', folder: folder?.path })).toMatchObject({ uids: [one] })
})
