/** What agents, the record and operators are told of moves between accounts that cannot be made, through the built program. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../dovecot/dovecot.ts'
import { PROGRAM, surroundings, type Variables } from '../imap/postern.ts'
import { type Agent, type Folder, passwordFrom, type Stage, startStage } from '../policy/stage.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

const OPEN: Omit<Folder, 'path'> = { mode: 'blacklist', default: 'FULL', move_out: true, accept_incoming: true }
const LONG = { timeout: 300_000 }

let stage: Stage
let mover: Agent
let proxies: { readonly ada: FaultProxy; readonly bob: FaultProxy }
/** Where nobody listens. */
let nowhere: number

beforeAll(async () => {
  nowhere = await freePort()
  proxies = { ada: await startFaultProxy(nowhere), bob: await startFaultProxy(nowhere) }
  const behind = (user: 'ada' | 'bob'): object => ({
    ...{ user, host: '127.0.0.1', port: proxies[user].port },
    ...passwordFrom(user),
  })
  const partly: Folder = { path: 'Partly', mode: 'blacklist', default: 'FULL', accept_incoming: true }
  const rules = [{ match: { subject_contains: 'secret' }, cap: 'METADATA' }]
  const inbox: Folder = { path: 'INBOX', ...OPEN, rules }
  const archive = ['Archive', 'Missing', 'Deep/**'].map((path) => ({ path, ...OPEN, rules }))
  stage = await startStage({
    users: ['ada', 'bob'],
    // Bob's mail, with a password that is not his.
    accounts: { ada: behind('ada'), bob: behind('bob'), eve: { ...behind('bob'), ...passwordFrom('eve') } },
    secrets: { 'accounts/eve/password': 'not the password' },
    callers: { mover: { policy: 'mover' } },
    policies: { mover: { accounts: { ada: [inbox], bob: [...archive, partly], eve: archive } } },
    env: { IMAP_MCP_RETRY_LIMIT: '0' },
  })
  for (const name of ['Archive', 'Partly']) await (await stage.client('bob')).imap.mailboxCreate(name)
  mover = await stage.as('mover')
})
afterEach(() => {
  for (const proxy of [proxies.ada, proxies.bob]) {
    proxy.aim(stage.dovecot.port)
    proxy.plan()
  }
})
afterAll(async () => {
  await stage.close()
  await Promise.all([proxies.ada.close(), proxies.bob.close()])
})

let letters = 0
async function post(subject = 'letter'): Promise<number> {
  letters += 1
  const raw = `From: a@x.example\r\nSubject: ${subject} ${letters}\r\nMessage-ID: <${letters}@x.example>\r\n\r\nbody\r\n`
  const [uid = 0] = await stage.put('ada', 'INBOX', [raw])
  return uid
}

const one = (uid: number, folder = 'Archive'): Record<string, unknown> => ({
  source: { account: 'ada', folder: 'INBOX', uid },
  target: { account: 'bob', folder },
})
const several = (uids: readonly number[], folder = 'Archive'): Record<string, unknown> => ({
  source: { account: 'ada', folder: 'INBOX', uids },
  target: { account: 'bob', folder },
})

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function postern(args: readonly string[], env: Variables, dataDir = stage.dataDir): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: surroundings(env, dataDir) }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })
}

const operator = (...args: readonly string[]): Promise<Ran> =>
  postern(args, { POSTERN_CONFIG_DIR: stage.tree, IMAP_MCP_RETRY_LIMIT: '0' })

// First, while nobody has connected yet.
describe('a server that cannot be reached', () => {
  const down = "account's server could not be reached; nothing was started; ask again later"

  test.each([
    ['one', () => one(1)],
    ['several', () => several([1, 2])],
  ])('of the source, %s: nothing is started, and no address is told', LONG, async (_name, asked) => {
    proxies.ada.aim(nowhere)
    expect(await mover.ask('move', asked())).toMatchObject({
      result: 'ERROR',
      error_type: 'fetch_failed',
      message: `the source ${down}`,
    })
    expect(mover.postern.output.stderr).toContain(`127.0.0.1:${proxies.ada.port}`)
    expect((await operator('transfers', 'list', '--all')).stdout).toBe('no transfers\n')
  })

  test.each([
    ['one', one],
    ['several', (uid: number) => several([uid])],
  ])('of the target, before it was ever reached, %s: the same', LONG, async (_name, asked) => {
    const uid = await post()
    proxies.bob.aim(nowhere)
    expect(await mover.ask('move', asked(uid))).toMatchObject({
      result: 'ERROR',
      error_type: 'target_unreachable',
      message: `the target ${down}`,
    })
    expect((await operator('transfers', 'list', '--all')).stdout).toBe('no transfers\n')
  })
})

test('an account that is not let in: which of the two, and nothing is started', LONG, async () => {
  const uid = await post()
  const shut = { result: 'ERROR', error_type: 'auth_failed' }
  expect(await mover.ask('copy', { ...one(uid), target: { account: 'eve', folder: 'Archive' } })).toMatchObject({
    ...shut,
    message: expect.stringMatching(/^the target account's server did not let us in.*nothing was started/),
  })
  const source = { account: 'eve', folder: 'Archive', uid: 1 }
  expect(await mover.ask('copy', { source, target: { account: 'bob', folder: 'Archive' } })).toMatchObject({
    ...shut,
    message: expect.stringMatching(/^the source account's server did not let us in; nothing was started/),
  })
})

test.each(['Missing', 'Deep/Missing'])('a target that is not there is told alike: %s', LONG, async (folder) => {
  const uid = await post()
  const missing = {
    result: 'ERROR',
    error_type: 'target_folder_missing',
    message: 'the destination mailbox does not exist; nothing was changed',
  }
  expect(await mover.ask('move', one(uid, folder))).toMatchObject(missing)
  const answer = await mover.ask('move', several([uid], folder))
  expect(answer).toMatchObject(folder === 'Missing' ? { results: [{ uid, ...missing }] } : missing)
})

describe('the record of several', () => {
  async function onRecord(work: () => Promise<unknown>): Promise<readonly Record<string, unknown>[]> {
    const lines = async (): Promise<readonly string[]> =>
      (await stage.audit()).split('\n').filter((line) => line !== '')
    const before = (await lines()).length
    await work()
    const records = (await lines()).slice(before).map((line) => JSON.parse(line) as Record<string, unknown>)
    return records.filter(({ tool }) => tool === 'copy' || tool === 'move')
  }
  const summary = (uid: readonly number[], folder = 'Archive'): object => ({
    ...{ account: 'ada', folder: 'INBOX', uid, mode: 'copy', target: { account: 'bob', folder } },
  })

  test('names each of them, and the one transfer', LONG, async () => {
    const uid = await post()
    let txId: unknown
    const records = await onRecord(async () => {
      const answer = await mover.ask('copy', several([uid, 99_999]))
      txId = (answer['results'] as readonly Record<string, unknown>[])[0]?.['tx_id']
    })
    expect(records).toMatchObject([
      { args_summary: summary([uid, 99_999]), result: 'INTENT' },
      { args_summary: summary([uid, 99_999]), result: 'PARTIAL', error_type: 'not_found', tx_id: txId },
    ])
    expect(txId).toEqual(expect.any(String))
  })

  test('does not say OK where nothing worked', LONG, async () => {
    const uids = [await post(), await post()]
    expect(await onRecord(() => mover.ask('copy', several(uids, 'Missing')))).toMatchObject([
      { result: 'INTENT' },
      { decision: 'ALLOW', result: 'ERROR', error_type: 'not_found', tx_id: null },
    ])
  })

  test('says which were refused, and why', LONG, async () => {
    const [open, secret] = [await post(), await post('secret')]
    expect(await onRecord(() => mover.ask('copy', several([open, secret], 'Partly')))).toMatchObject([
      { result: 'INTENT', decision: 'ALLOW' },
      {
        result: 'DENIED',
        decision: 'DENY',
        reason: 'visibility_would_rise',
        args_summary: summary([secret], 'Partly'),
      },
      { result: 'PARTIAL', decision: 'ALLOW', error_type: null, args_summary: summary([open, secret], 'Partly') },
    ])
    const [intent, end, ...more] = await onRecord(() => mover.ask('copy', several([secret], 'Partly')))
    expect(intent).toMatchObject({ result: 'INTENT' })
    expect(end).toMatchObject({ decision: 'DENY', result: 'DENIED', intent_seq: intent?.['seq'] })
    expect(more).toEqual([])
    const shown = await operator('audit', 'show', '--reason', 'visibility_would_rise')
    expect(shown.stdout.trim().split('\n')).toHaveLength(2)
  })
})

describe('what needs an operator', () => {
  test('is told in the log once, and all of it is tried again together', LONG, async () => {
    const uids = [await post(), await post(), await post()]
    await mover.ask('copy', several([uids[0] ?? 0]))
    const before = mover.postern.output.stderr.length
    proxies.bob.aim(nowhere)
    proxies.bob.plan({ at: () => true, fault: { kind: 'reset' }, times: 1000 })
    const answer = await mover.ask('move', several(uids))
    expect(answer).toMatchObject({
      results: uids.map((uid) => ({
        ...{ uid, result: 'ERROR', error_type: 'target_unreachable' },
        message: 'the destination could not be reached; whoever runs this server has to look',
      })),
    })
    const lines = mover.postern.output.stderr.slice(before).split('\n')
    const told = lines.filter((line) => line.includes('postern transfers list'))
    expect(told.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', from: 'ada', to: 'bob', transfers: 3, errors: ['target_unreachable'] },
    ])
    const inVain = await operator('transfers', 'retry', '--all')
    expect(inVain.code).toBe(1)
    expect(inVain.stdout.trim().split('\n')).toHaveLength(3)
    expect(inVain.stderr).toMatch(/tried again, and 3 of 3 still failed \(target_unreachable\).*server of bob/s)
    expect(inVain.stderr).not.toContain('postern transfers list')
    proxies.bob.aim(stage.dovecot.port)
    proxies.bob.plan()
    const retried = await operator('transfers', 'retry', '--all')
    expect(retried).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(\S+ {2}committed {2}.*\n){3}$/) })
    expect(await operator('transfers', 'retry', '--all')).toMatchObject({
      code: 0,
      stdout: 'no transfer needs an operator\n',
    })
  })
})

describe('an operator without a configuration', () => {
  test.each([
    ['transfers', 'list'],
    ['transfers', 'retry', 'x'],
    ['audit', 'show'],
    ['audit', 'verify'],
    ['explain', '--caller', 'a', '--account', 'b', '--folder', 'c', '--uid', '1'],
    ['oauth', '--account', 'a'],
  ])('%s %s: one line, no stack', LONG, async (...words) => {
    const missing = join(stage.dataDir, 'no-such-tree')
    const ran = await postern([...words, '--config', missing], {})
    expect(ran).toEqual({ code: 1, stdout: '', stderr: `postern: ${missing}: there is no such directory\n` })
  })

  test('a transfer of no tree at all', LONG, async () => {
    expect(await postern(['transfers', 'list'], {})).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^postern: no configuration is named: .*\n$/),
    })
  })

  test('verify before the first record', LONG, async () => {
    const fresh = await mkdtemp(join(tmpdir(), 'pv-'))
    try {
      expect(await postern(['audit', 'verify'], { POSTERN_CONFIG_DIR: stage.tree }, fresh)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^no records yet in /),
        stderr: '',
      })
    } finally {
      await rm(fresh, { recursive: true, force: true })
    }
  })
})
