/** Calls that are refused before anything is decided: an unknown tool, arguments that do not fit. Each is in the audit log. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { initialize, type RawProcess } from '../mcp/raw-process.ts'
import { callOverHttp, callOverStdio, headersFor, type Reply } from './requests.ts'
import { type AuditLine, callerLine, type HttpServer, type Scene, startScene, tokenOf, treeOf } from './scene.ts'

/** A tool of each set, and arguments that its schema refuses. */
const SETS = [
  ['policy', 'search', { account: 'policy', folder: 'INBOX', criteria: { canary: true } }],
  ['imap', 'imap_search_messages', { account_id: 'imap', limit: 'canary' }],
  ['inbox', 'search_emails', { account: 'inbox', query: 5, canary: 'canary' }],
  ['outbox', 'send_email', { to: { canary: 1 } }],
] as const
const CALLERS = SETS.map(([set]) => set)

let scene: Scene
let server: HttpServer

beforeAll(async () => {
  const lines = CALLERS.map((id) => callerLine(id, 'http', `, toolsets: [${id}]`))
  scene = await startScene({ ...treeOf(CALLERS), 'callers.yaml': `callers:\n${lines.join('')}` })
  server = await scene.serve()
})
afterAll(() => scene.close())

const overHttp = (caller: string, tool: string, args: object): Promise<Reply> =>
  callOverHttp(server.url, tokenOf(caller), tool, args)

async function overStdio(caller: string): Promise<RawProcess> {
  const child = scene.start([], { IMAP_MCP_CALLER_ID: caller, IMAP_MCP_CALLER_TOKEN: tokenOf(caller) })
  child.write(initialize(1))
  await child.answer(1)
  return child
}

/** What was recorded while something was done. */
async function recorded(work: () => Promise<unknown>): Promise<readonly AuditLine[]> {
  const before = (await scene.records()).length
  await work()
  return (await scene.records()).slice(before)
}

const denied = (caller: string, tool: string, reason: string): object => ({
  caller_id: caller,
  tool,
  decision: 'DENY',
  reason,
  result: 'DENIED',
  error_type: null,
  args_summary: {},
  visibility_granted: null,
})

test.each(SETS)('of the %s set, over HTTP and stdio', async (caller, tool, args) => {
  const child = await overStdio(caller)
  const ways = [
    ['127.0.0.1', (name: string, given: object) => overHttp(caller, name, given)],
    ['stdio', (name: string, given: object) => callOverStdio(child, name, given)],
  ] as const
  for (const [caller_addr, call] of ways) {
    const unknown = await recorded(async () => {
      expect(await call('canary_tool', { canary: 1 })).toMatchObject({ error: { code: -32602 } })
    })
    expect(unknown).toMatchObject([{ ...denied(caller, 'canary_tool', 'unknown_tool'), caller_addr }])
    const unfit = await recorded(() => call(tool, args))
    expect(unfit).toMatchObject([{ ...denied(caller, tool, 'invalid_arguments'), caller_addr }])
    expect(JSON.stringify(unfit)).not.toContain('canary')
  }
  child.kill()
})

test.each([
  ['eof_day', '?eof_day'],
  ['audit_tail_torn', '?audit_tail_torn'],
  ['', '?'],
  ['a\nb "c" \u001b[31m Grüße', 'a?b??c????31m?Gr??e'],
  ['x'.repeat(5000), 'x'.repeat(64)],
])('the name of a tool is bounded and is never taken for anything else: %j', async (name, written) => {
  const lines = await recorded(() => overHttp('imap', name, {}))
  expect(lines).toMatchObject([denied('imap', written, 'unknown_tool')])
})

test.each([{ uri: 'imap://nothing/canary' }, { uri: 5 }, {}])('a resource that is none: %j', async (params) => {
  const lines = await recorded(async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'resources/read', params })
    const answer = await fetch(server.url, { method: 'POST', headers: headersFor(tokenOf('imap')), body })
    expect(await answer.text()).toContain('"error"')
  })
  expect(lines).toMatchObject([denied('imap', 'resources/read', 'invalid_arguments')])
  expect(JSON.stringify(lines)).not.toContain('canary')
})

test('a call without a name of a tool', async () => {
  const lines = await recorded(async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 6, method: 'tools/call', params: { name: 7 } })
    await (await fetch(server.url, { method: 'POST', headers: headersFor(tokenOf('imap')), body })).text()
  })
  expect(lines).toMatchObject([denied('imap', 'tools/call', 'invalid_arguments')])
})

test('many at once are all there, the chain holds, and people are told what they mean', async () => {
  const lines = await recorded(() =>
    Promise.all(Array.from({ length: 200 }, (_, at) => overHttp('policy', `none_${at}`, {}))),
  )
  expect(new Set(lines.map(({ tool }) => tool)).size).toBe(200)
  expect(await scene.run(['audit', 'verify'])).toMatchObject({ code: 0 })
  const shown = await scene.run(['audit', 'show', '--tool', 'none_7'])
  expect(shown.stdout).toMatch(
    / DENY {2}DENIED {2}policy@127\.0\.0\.1 none_7 unknown_tool \(the caller has no such tool\)/,
  )
  const unfit = await scene.run(['audit', 'show', '--tool', 'search'])
  expect(unfit.stdout).toContain('invalid_arguments (the arguments do not fit the tool)')
})

test('what cannot be recorded is answered as other calls are', async () => {
  const other = await startScene(treeOf(['ann'], 'stdio'))
  try {
    writeFileSync(join(other.tree, '..', 'blocked'), '')
    await other.write({
      'accounts.yaml':
        'accounts:\n  - { id: ann, provider: local }\nsecret_store: { backend: file_dir, path: secrets }\naudit: { directory: ../blocked/audit }\n',
    })
    const child = other.start([], { IMAP_MCP_CALLER_ID: 'ann' })
    child.write(initialize(1))
    await child.answer(1)
    for (const [tool, args] of [['nothing', {}] as const, ['search', { account: 5 }] as const]) {
      const { error, payload } = await callOverStdio(child, tool, args)
      expect({ error, payload }).toMatchObject({
        error: { code: -32603, message: expect.stringContaining('the audit log cannot be written') },
      })
    }
  } finally {
    rmSync(join(other.tree, '..', 'blocked'), { force: true })
    await other.close()
  }
})
