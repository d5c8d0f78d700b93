/** How often a caller may call, whichever of its processes it asks. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { initialize, type RawProcess } from '../mcp/raw-process.ts'
import { callOverHttp, callOverStdio } from './requests.ts'
import { callerLine, type Scene, startScene, tokenOf, treeOf } from './scene.ts'
import { inbox } from './tool-calls.ts'

let scene: Scene

beforeAll(async () => {
  const most = ', limits: { per_minute: 3 }'
  const callers = [
    callerLine('ann', 'stdio', most),
    callerLine('ben', 'stdio', `${most}, toolsets: [imap]`),
    callerLine('cid', 'stdio', ', limits: { per_hour: 2 }'),
    callerLine('dora', 'stdio'),
  ]
  scene = await startScene({
    ...treeOf(['ann', 'ben', 'cid', 'dora'], 'stdio'),
    'callers.yaml': `callers:\n${callers.join('')}`,
  })
})
afterAll(() => scene.close())

async function enter(id: string): Promise<RawProcess> {
  const server = scene.start([], { IMAP_MCP_CALLER_ID: id })
  server.write(initialize(1))
  await server.answer(1)
  return server
}

/** A fresh minute, so that the calls of one test do not fall into two: to be waited for when everything is started. */
async function earlyInAMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left))
}

test('the fourth call of a minute is denied, in the words of the policy set, across two processes', async () => {
  const servers = [await enter('ann'), await enter('ann')] as const
  await earlyInAMinute()
  for (const server of [servers[0], servers[1], servers[0]]) {
    expect((await callOverStdio(server, 'list_accounts')).payload).toMatchObject({ decision: 'ALLOW' })
  }
  for (const server of servers) {
    const { payload } = await callOverStdio(server, 'list_messages', inbox('ann'))
    expect(payload).toMatchObject({ decision: 'DENY', reason: 'rate_limited', account: 'ann', folder: 'INBOX' })
  }
  const denied = (await scene.records()).filter(({ reason }) => reason === 'rate_limited')
  expect(denied).toMatchObject([
    { caller_id: 'ann', tool: 'list_messages', decision: 'DENY', result: 'DENIED' },
    { caller_id: 'ann', tool: 'list_messages', decision: 'DENY', result: 'DENIED' },
  ])
  // What is refused uses up nothing of another's.
  const other = await enter('dora')
  for (let call = 0; call < 8; call++) {
    expect((await callOverStdio(other, 'list_accounts')).payload).toMatchObject({ decision: 'ALLOW' })
  }
  await Promise.all([...servers, other].map((server) => server.end()))
})

test('and in the words of the imap set', async () => {
  const server = await enter('ben')
  await earlyInAMinute()
  for (let call = 0; call < 3; call++) {
    expect((await callOverStdio(server, 'imap_list_accounts')).error).toBeUndefined()
  }
  const { error } = await callOverStdio(server, 'imap_list_accounts')
  expect(error).toMatchObject({ code: -32602, data: { code: 'invalid_input', details: { reason: 'rate_limited' } } })
  await server.end()
})

test('calls at the same moment in two processes do not slip through together', async () => {
  const servers = [await enter('cid'), await enter('cid')]
  await earlyInAMinute()
  const calls = servers.flatMap((server) => Array.from({ length: 10 }, () => callOverStdio(server, 'list_accounts')))
  const replies = await Promise.all(calls)
  expect(replies.filter(({ payload }) => payload?.decision === 'ALLOW')).toHaveLength(2)
  expect(replies.filter(({ payload }) => payload?.reason === 'rate_limited')).toHaveLength(18)
  await Promise.all(servers.map((server) => server.end()))
})

test('over HTTP likewise', async () => {
  const http = await startScene({
    ...treeOf(['ann', 'ben']),
    'callers.yaml': `callers:\n${callerLine('ann', 'http', ', limits: { per_minute: 3 }')}${callerLine('ben')}`,
  })
  const servers = [await http.serve(), await http.serve()]
  await earlyInAMinute()
  const ask = (id: string, index: number): Promise<string | undefined> =>
    callOverHttp(servers[index % 2]?.url ?? '', tokenOf(id), 'list_accounts').then(({ payload }) => payload?.decision)
  const decisions = await Promise.all(Array.from({ length: 12 }, (_, index) => ask('ann', index)))
  expect(decisions.filter((decision) => decision === 'ALLOW')).toHaveLength(3)
  const others = await Promise.all(Array.from({ length: 12 }, (_, index) => ask('ben', index)))
  expect(others.filter((decision) => decision === 'ALLOW')).toHaveLength(12)
  await http.close()
})
