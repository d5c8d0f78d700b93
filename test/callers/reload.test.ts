/** A configuration tree that is changed while servers use it. */
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type MailProxy, startProxy } from '../dovecot/proxy.ts'
import { letter } from '../mail-source/messages.ts'
import { initialize, type RawProcess } from '../mcp/raw-process.ts'
import { callOverHttp, callOverStdio, type Reply, subjectsOf } from './requests.ts'
import {
  type AuditLine,
  accountsYaml,
  callerLine,
  canaryOf,
  type HttpServer,
  policyYaml,
  type Scene,
  startScene,
  tokenOf,
  treeOf,
} from './scene.ts'
import { inbox } from './tool-calls.ts'

let scene: Scene

const reloads = async (): Promise<AuditLine[]> => (await scene.records()).filter(({ tool }) => tool === 'policy_reload')

/**
 * Has a server read its tree, and waits until that counts. A reload is on record before it counts, and the next one
 * begins after that: so the second record says that the first reload is done.
 */
async function reload(server: RawProcess): Promise<AuditLine | undefined> {
  await reloadOnce(server)
  return reloadOnce(server)
}

async function reloadOnce(server: RawProcess): Promise<AuditLine | undefined> {
  const before = (await reloads()).length
  server.child.kill('SIGHUP')
  await expect.poll(async () => (await reloads()).length).toBeGreaterThan(before)
  return (await reloads()).at(-1)
}

describe('a server over HTTP', () => {
  let server: HttpServer

  beforeEach(async () => {
    scene = await startScene()
    for (const id of ['ann', 'ben', 'new']) await scene.deliver(id, canaryOf(id))
    server = await scene.serve()
  })
  afterEach(() => scene.close())

  const ask = (id: string, tool = 'list_messages', args = inbox(id), token = tokenOf(id)): Promise<Reply> =>
    callOverHttp(server.url, token, tool, args)

  test('decides by the new policy from the next call on, for the caller whose policy it is', async () => {
    expect(subjectsOf(await ask('ann'))).toEqual([canaryOf('ann')])
    await scene.write({ 'policies/ann.yaml': policyYaml('ann', 'METADATA') })
    expect(subjectsOf(await ask('ann'))).toEqual([canaryOf('ann')])
    expect(await reload(server.process)).toEqual({
      ...(await reloads()).at(-1),
      caller_id: 'system',
      caller_addr: 'internal',
      tool: 'policy_reload',
      args_summary: {},
      decision: 'ALLOW',
      reason: 'reload_applied',
      result: 'OK',
      error_type: null,
    })
    expect(subjectsOf(await ask('ann'))).toEqual([null])
    expect(subjectsOf(await ask('ben'))).toEqual([canaryOf('ben')])
  })

  test('a caller that was taken out is a stranger, one that was put in is not', async () => {
    await scene.write({
      'callers.yaml': `callers:\n${callerLine('ben')}${callerLine('new')}`,
      'accounts.yaml': accountsYaml(['ann', 'ben', 'new']),
      'policies/new.yaml': policyYaml('new', 'FULL'),
      'secrets/callers/new': tokenOf('new'),
    })
    expect((await ask('new')).status).toBe(401)
    await reload(server.process)
    expect((await ask('ann')).status).toBe(401)
    expect(subjectsOf(await ask('new'))).toEqual([canaryOf('new')])
    expect((await scene.records()).filter(({ tool }) => tool === 'pool_drain')).toEqual([])
  })

  test('a new token counts, and the old one does no more', async () => {
    await scene.write({ 'secrets/callers/ann': 'another-token-of-ann' })
    expect((await ask('ann')).status).toBe(200)
    await reload(server.process)
    expect((await ask('ann')).status).toBe(401)
    expect((await ask('ann', 'list_accounts', {}, 'another-token-of-ann')).status).toBe(200)
    expect(server.process.errors).not.toContain('another-token')
  })

  test('an account that was taken out is gone and its connections are closed', async () => {
    await ask('ann')
    await scene.write({
      'accounts.yaml': accountsYaml(['ben']),
      'policies/ann.yaml': policyYaml('ann', 'FULL', 'ben'),
    })
    await reload(server.process)
    expect((await ask('ann')).payload).toMatchObject({ decision: 'DENY', reason: 'account_hidden' })
    expect((await ask('ann', 'list_messages', inbox('ben'))).payload).toMatchObject({ decision: 'ALLOW' })
    const drained = (await scene.records()).filter(({ tool }) => tool === 'pool_drain')
    expect(drained).toMatchObject([{ caller_id: 'system', args_summary: { account: 'ann' }, result: 'OK' }])
  })

  test.each<[string, Record<string, string>, string, RegExp]>([
    ['no YAML', { 'policies/ann.yaml': 'name: [ann\n' }, 'parse_error', /policies\/ann\.yaml:\d+:\d+/],
    [
      'an unknown level',
      { 'policies/ann.yaml': 'name: ann\naccounts:\n  ann:\n    - { path: INBOX, mode: blacklist, default: ALL }\n' },
      'validation_error',
      /policies\/ann\.yaml:4:\d+/,
    ],
    [
      'nobody’s policy',
      { 'callers.yaml': `callers:\n${callerLine('eve')}` },
      'validation_error',
      /callers\.yaml:2:\d+/,
    ],
    ['one token for two', { 'secrets/callers/ben': tokenOf('ann') }, 'validation_error', /have the same token/],
    ['no token', { 'secrets/callers/ben': '' }, 'validation_error', /callers\/ben/],
    [
      'a caller for stdio',
      { 'callers.yaml': `callers:\n${callerLine('ann', 'stdio')}${callerLine('ben')}` },
      'validation_error',
      /is stdio_trusted and cannot be served/,
    ],
  ])('%s: everything stays as it was, and the log says where the fault is', async (_what, files, outcome, told) => {
    // What is good beside the fault must not count either.
    await scene.write({ 'policies/ben.yaml': policyYaml('ben', 'METADATA'), ...files })
    expect(await reload(server.process)).toMatchObject({
      decision: 'DENY',
      reason: outcome,
      result: 'ERROR',
      error_type: outcome,
      caller_id: 'system',
    })
    await expect.poll(() => server.process.errors).toMatch(told)
    for (const id of ['ann', 'ben']) expect(subjectsOf(await ask(id))).toEqual([canaryOf(id)])
    await scene.write({ ...treeOf(['ann', 'ben']), 'policies/ben.yaml': policyYaml('ben', 'METADATA') })
    expect(await reload(server.process)).toMatchObject({ reason: 'reload_applied' })
    expect(subjectsOf(await ask('ben'))).toEqual([null])
  })

  test('a tree that is taken away altogether changes nothing', async () => {
    await scene.write({ 'accounts.yaml': '' })
    expect(await reload(server.process)).toMatchObject({ decision: 'DENY' })
    expect(subjectsOf(await ask('ann'))).toEqual([canaryOf('ann')])
  })

  test('many signals at once end in the last tree', async () => {
    const levels = ['METADATA', 'NONE', 'ENVELOPE', 'METADATA'] as const
    for (const level of levels) {
      await scene.write({ 'policies/ann.yaml': policyYaml('ann', level) })
      for (let signal = 0; signal < 5; signal++) server.process.child.kill('SIGHUP')
    }
    await expect.poll(async () => subjectsOf(await ask('ann'))).toEqual([null])
    expect(await reload(server.process)).toMatchObject({ reason: 'reload_applied' })
    expect((await reloads()).every(({ reason }) => reason === 'reload_applied')).toBe(true)
    expect(server.process.child.exitCode).toBeNull()
  })

  test('calls in flight are each decided by one policy, the old or the new', async () => {
    let stop = false
    const seen = new Map<string, number>()
    const worker = async (id: string): Promise<void> => {
      while (!stop) {
        const reply = await ask(id)
        expect(reply.status).toBe(200)
        const key = JSON.stringify([id, reply.payload?.decision, subjectsOf(reply)])
        seen.set(key, (seen.get(key) ?? 0) + 1)
      }
    }
    const workers = Array.from({ length: 50 }, (_, index) => worker(index % 2 === 0 ? 'ann' : 'ben'))
    for (const level of ['METADATA', 'FULL', 'METADATA'] as const) {
      await scene.write({ 'policies/ann.yaml': policyYaml('ann', level) })
      await reload(server.process)
    }
    stop = true
    await Promise.all(workers)
    expect([...seen.keys()].sort()).toEqual(
      [
        JSON.stringify(['ann', 'ALLOW', [canaryOf('ann')]]),
        JSON.stringify(['ann', 'ALLOW', [null]]),
        JSON.stringify(['ben', 'ALLOW', [canaryOf('ben')]]),
      ].sort(),
    )
    expect(subjectsOf(await ask('ann'))).toEqual([null])
  })

  test('another place for the record is warned of, and the old one stays in use', async () => {
    await scene.write({ 'accounts.yaml': accountsYaml(['ann', 'ben'], 'audit: { directory: elsewhere }\n') })
    await reload(server.process)
    await expect.poll(() => server.process.errors).toMatch(/accounts\.yaml: audit has changed; that needs a restart/)
    await ask('ann', 'get_caller_identity', {})
    expect((await scene.records()).at(-1)).toMatchObject({ tool: 'get_caller_identity' })
    expect(await readdir(scene.tree)).not.toContain('elsewhere')
  })
})

describe('a server over stdio', () => {
  let server: RawProcess

  beforeAll(async () => {
    scene = await startScene(treeOf(['ann', 'ben'], 'stdio'))
    await scene.deliver('ann', canaryOf('ann'))
    server = scene.start([], { IMAP_MCP_CALLER_ID: 'ann' })
    server.write(initialize(1))
    await server.answer(1)
  })
  afterAll(() => scene.close())

  test('decides the next call on the same connection by the new policy', async () => {
    expect(subjectsOf(await callOverStdio(server, 'list_messages', inbox('ann')))).toEqual([canaryOf('ann')])
    await scene.write({ 'policies/ann.yaml': policyYaml('ann', 'METADATA') })
    await reload(server)
    expect(subjectsOf(await callOverStdio(server, 'list_messages', inbox('ann')))).toEqual([null])
  })

  test('a broken tree is told on stderr, not on stdout', async () => {
    const before = server.output
    await appendFile(join(scene.tree, 'policies/ann.yaml'), 'colour: green\n')
    expect(await reload(server)).toMatchObject({ reason: 'validation_error' })
    await expect.poll(() => server.errors).toMatch(/policies\/ann\.yaml:\d+:\d+/)
    expect(server.output).toBe(before)
    await scene.write({ 'policies/ann.yaml': policyYaml('ann', 'FULL') })
    await reload(server)
    expect(subjectsOf(await callOverStdio(server, 'list_messages', inbox('ann')))).toEqual([canaryOf('ann')])
  })

  test('a caller that is taken out may do nothing any more, and is still who it was', async () => {
    await scene.write({ 'callers.yaml': `callers:\n${callerLine('ben', 'stdio')}` })
    await reload(server)
    expect((await callOverStdio(server, 'list_messages', inbox('ann'))).payload).toMatchObject({
      decision: 'DENY',
      reason: 'account_hidden',
    })
    expect((await callOverStdio(server, 'get_caller_identity')).payload).toMatchObject({ caller_id: 'ann' })
    expect((await callOverStdio(server, 'list_accounts')).payload).toMatchObject({ accounts: [] })
  })
})

describe('an account on a mail server', () => {
  let dovecot: Dovecot
  let proxy: MailProxy
  let server: HttpServer

  const imapTree = (port: number, ids: readonly string[]): string => {
    const accounts = ids.map(
      (id) =>
        `  - { id: ${id}, provider: imap-standard, host: 127.0.0.1, port: ${port}, user: ann, auth: { type: password, secret_ref: secret://accounts/ann } }\n`,
    )
    return `accounts:\n${accounts.join('')}  - { id: ben, provider: local }\nsecret_store: { backend: file_dir, path: secrets }\n`
  }

  beforeAll(async () => {
    dovecot = await startDovecot({ users: { ann: 'ann-password' } })
    await dovecot.deliver('ann', 'INBOX', [{ raw: letter({ subject: canaryOf('ann') }) }])
  })
  afterAll(() => dovecot.stop())
  beforeEach(async () => {
    proxy = await startProxy(dovecot.port)
    scene = await startScene({
      ...treeOf(['ann', 'ben']),
      'accounts.yaml': imapTree(proxy.port, ['ann']),
      'secrets/accounts/ann': 'ann-password',
    })
    server = await scene.serve()
  })
  afterEach(async () => {
    await scene.close()
    await proxy.stop()
  })

  const ask = (): Promise<Reply> => callOverHttp(server.url, tokenOf('ann'), 'list_messages', inbox('ann'))

  test('a call under way ends as it began, though its policy and its account are gone', async () => {
    expect(subjectsOf(await ask())).toEqual([canaryOf('ann')])
    proxy.stall(true)
    proxy.reset()
    // More than may run at once: some of them are still waiting for their turn.
    const underWay = Array.from({ length: 30 }, ask)
    await expect.poll(() => proxy.sent().length).toBeGreaterThan(0)
    await expect.poll(async () => (await fetch(new URL('/health', server.url))).status).toBe(200)
    await scene.write({
      'accounts.yaml': imapTree(proxy.port, []),
      'policies/ann.yaml': policyYaml('ann', 'METADATA', 'ben'),
    })
    expect(await reload(server.process)).toMatchObject({ reason: 'reload_applied' })
    // It waits behind the others, and is of the new time all the same.
    const later = ask()
    // And once more, so that two trees are in the past.
    await reload(server.process)
    expect(proxy.open()).toBeGreaterThan(0)
    proxy.stall(false)
    const replies = await Promise.all(underWay)
    const begun = replies.filter(({ payload }) => payload?.['decision'] === 'ALLOW')
    expect(begun.length).toBeGreaterThan(0)
    for (const reply of begun) expect(subjectsOf(reply)).toEqual([canaryOf('ann')])
    // What had not got its turn yet had not begun: a policy that was taken away is not given to it any more.
    const waiting = replies.filter(({ payload }) => payload?.['decision'] === 'DENY')
    expect(waiting.length).toBe(replies.length - begun.length)
    expect(waiting.length).toBeGreaterThan(0)
    expect((await later).payload).toMatchObject({ decision: 'DENY', reason: 'account_hidden' })
    await expect.poll(() => proxy.open()).toBe(0)
    const drained = (await scene.records()).filter(({ tool }) => tool === 'pool_drain')
    expect(drained).toMatchObject([{ args_summary: { account: 'ann' } }])
  })

  test('a tree that leaves the account as it is keeps its connections', async () => {
    await ask()
    const accepted = proxy.accepted()
    await scene.write({ 'policies/ann.yaml': policyYaml('ann', 'METADATA') })
    await reload(server.process)
    expect(subjectsOf(await ask())).toEqual([null])
    expect(proxy.accepted()).toBe(accepted)
  })

  test('a new password counts with the next connection', async () => {
    await scene.write({ 'secrets/accounts/ann': 'wrong' })
    expect((await ask()).payload).toMatchObject({ result: 'ERROR', error_type: 'auth_failed' })
    await scene.write({ 'secrets/accounts/ann': 'ann-password' })
    await reload(server.process)
    expect(subjectsOf(await ask())).toEqual([canaryOf('ann')])
    expect(server.process.errors).not.toContain('ann-password')
  })
})
