/** How an HTTP server of a configuration tree starts, stops, and comes back after a crash. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type MailProxy, startProxy } from '../dovecot/proxy.ts'
import { letter } from '../mail-source/messages.ts'
import { callOverHttp, headersFor, subjectsOf } from './requests.ts'
import { accountsYaml, callerLine, canaryOf, type Scene, startScene, tokenOf, treeOf } from './scene.ts'
import { inbox, toolCall } from './tool-calls.ts'

let scene: Scene
afterEach(() => scene.close())

const HTTP = ['--transport', 'http', '--port', '0']

describe('starting', () => {
  test('a caller that is trusted on stdio cannot be served', async () => {
    scene = await startScene({
      ...treeOf(['ann', 'ben']),
      'callers.yaml': `callers:\n${callerLine('ann')}${callerLine('ben', 'stdio')}`,
    })
    const refused = scene.start(HTTP)
    expect(await refused.exitCode()).toBe(1)
    expect(refused.errors).toMatch(/^postern: caller "ben" is stdio_trusted and cannot be served over HTTP; give it /)
  })

  test('a token that is missing from the store is named', async () => {
    scene = await startScene({ ...treeOf(['ann']), 'secrets/callers/ann': '' })
    const refused = scene.start(HTTP)
    expect(await refused.exitCode()).toBe(1)
    expect(refused.errors).toMatch(/^postern: .*callers\/ann/)
  })

  test('the environment says where to listen, the command line counts more', async () => {
    scene = await startScene()
    const env = { IMAP_MCP_HTTP_HOST: 'localhost', IMAP_MCP_HTTP_PORT: '0' }
    expect((await scene.serve([], env)).url).toMatch(/^http:\/\/localhost:\d+\/mcp$/)
    const other = { ...env, IMAP_MCP_HTTP_PORT: '1' }
    expect((await scene.serve(['--host', '127.0.0.1', '--port', '0'], other)).url).toMatch(/^http:\/\/127\.0\.0\.1:/)
  })

  test.each([
    ['IMAP_MCP_HTTP_PORT', '70000'],
    ['IMAP_MCP_HTTP_PORT', 'http'],
    ['POSTERN_HTTP_ALLOWED_HOSTS', '*'],
  ])('%s=%s is refused', async (name, value) => {
    scene = await startScene()
    const refused = scene.start(['--transport', 'http'], { [name]: value })
    expect(await refused.exitCode()).toBe(1)
    expect(refused.errors).toMatch(new RegExp(`^postern: ${name} must be [^\\n]+\\n$`))
  })

  test('listening for other machines without TLS is warned of, listening for this one is not', async () => {
    scene = await startScene()
    const open = await scene.serve(['--host', '0.0.0.0', '--port', '0'])
    expect(open.process.errors).toMatch(/^postern: warning: 0\.0\.0\.0 .*not encrypted.*TLS/m)
    expect((await fetch(`http://127.0.0.1:${open.port}/health`)).status).toBe(200)
    const own = await scene.serve()
    expect(own.process.errors).not.toContain('warning')
  })

  test('a secret that others can read is used, and said in the log', async () => {
    scene = await startScene()
    const { chmod } = await import('node:fs/promises')
    await chmod(`${scene.tree}/secrets/callers/ben`, 0o644)
    const server = await scene.serve()
    const warnings = server.process.errors.split('\n').filter((line) => line.includes('"level":"warn"'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('callers/ben can be read by other users')
    expect((await callOverHttp(server.url, tokenOf('ben'), 'list_accounts')).status).toBe(200)
  })
})

describe('stopping', () => {
  let dovecot: Dovecot
  let proxy: MailProxy

  async function slowScene(): Promise<void> {
    dovecot = await startDovecot({ users: { ann: 'ann-password' } })
    proxy = await startProxy(dovecot.port)
    await dovecot.deliver('ann', 'INBOX', [{ raw: letter({ subject: canaryOf('ann') }) }])
    scene = await startScene({
      ...treeOf(['ann']),
      'accounts.yaml': `accounts:
  - id: ann
    provider: imap-standard
    host: 127.0.0.1
    port: ${proxy.port}
    auth: { type: password, secret_ref: secret://accounts/ann }
secret_store: { backend: file_dir, path: secrets }
`,
      'secrets/accounts/ann': 'ann-password',
    })
  }

  test('answers what is under way, closes its connections and ends with 0', async () => {
    await slowScene()
    const server = await scene.serve()
    await callOverHttp(server.url, tokenOf('ann'), 'list_messages', inbox('ann'))
    proxy.stall(true)
    proxy.reset()
    const answers = Array.from({ length: 5 }, () =>
      callOverHttp(server.url, tokenOf('ann'), 'list_messages', inbox('ann')),
    )
    await expect.poll(() => proxy.sent().length).toBeGreaterThan(0)
    // Whoever asks later is answered: all of them have been taken.
    expect((await fetch(new URL('/health', server.url))).status).toBe(200)
    server.process.child.kill('SIGTERM')
    await expect
      .poll(() =>
        fetch(new URL('/health', server.url)).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed')
    proxy.stall(false)
    for (const answer of await Promise.all(answers)) expect(subjectsOf(answer)).toEqual([canaryOf('ann')])
    expect(await server.process.exitCode()).toBe(0)
    await expect.poll(() => proxy.open()).toBe(0)
    await proxy.stop()
    await dovecot.stop()
  })

  test('under a stream of calls loses none: each is answered or never taken', async () => {
    scene = await startScene()
    await scene.deliver('ann', canaryOf('ann'))
    const server = await scene.serve()
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const tally = { answered: 0, neverTaken: 0, lost: 0 }
    const one = (): Promise<void> => post(agent, server.port, tally)
    const worker = async (): Promise<void> => {
      while (tally.neverTaken === 0) await one()
    }
    const workers = Array.from({ length: 8 }, worker)
    await expect.poll(() => tally.answered).toBeGreaterThan(30)
    server.process.child.kill('SIGTERM')
    await Promise.all(workers)
    agent.destroy()
    expect(tally.lost).toBe(0)
    expect(await server.process.exitCode()).toBe(0)
    const recorded = (await scene.records()).filter(({ tool }) => tool === 'list_messages')
    expect(recorded).toHaveLength(tally.answered)
  })
})

/** Lost is an answer that has begun and never came to its end. */
async function post(
  agent: Agent,
  port: number,
  tally: { answered: number; neverTaken: number; lost: number },
): Promise<void> {
  const body = JSON.stringify(toolCall(1, 'list_messages', inbox('ann')))
  const call = request({
    agent,
    port,
    host: '127.0.0.1',
    path: '/mcp',
    method: 'POST',
    headers: headersFor(tokenOf('ann')),
  })
  call.end(body)
  try {
    const [response] = await once(call, 'response')
    let text = ''
    try {
      for await (const chunk of response) text += chunk
    } catch {
      text = ''
    }
    if (text.includes(canaryOf('ann'))) tally.answered += 1
    else tally.lost += 1
  } catch {
    tally.neverTaken += 1
  }
}

test('killed under load, the record is whole and the next server goes on with it', async () => {
  scene = await startScene({ ...treeOf(['ann']), 'accounts.yaml': accountsYaml(['ann']) })
  await scene.deliver('ann', canaryOf('ann'))
  let answered = 0
  for (let round = 0; round < 3; round++) {
    const server = await scene.serve()
    const before = answered
    const worker = async (): Promise<void> => {
      for (;;) {
        const reply = await callOverHttp(server.url, tokenOf('ann'), 'list_messages', inbox('ann'))
        expect(subjectsOf(reply)).toEqual([canaryOf('ann')])
        answered += 1
      }
    }
    const workers = Array.from({ length: 20 }, () => worker().catch((error: unknown) => error))
    await expect.poll(() => answered - before).toBeGreaterThan(25)
    server.process.child.kill('SIGKILL')
    // What fetch says of a connection that is gone.
    for (const end of await Promise.all(workers)) expect(end).toBeInstanceOf(TypeError)
    await server.process.exitCode()
  }
  const last = await scene.serve()
  await callOverHttp(last.url, tokenOf('ann'), 'list_accounts')
  last.process.child.kill('SIGTERM')
  expect(await last.process.exitCode()).toBe(0)
  const verified = await scene.run(['audit', 'verify'])
  expect(verified).toEqual({ code: 0, stdout: expect.stringContaining('records'), stderr: '' })
  // An answer leaves only after its record: what was answered is there.
  const recorded = (await scene.records()).filter(({ tool }) => tool === 'list_messages')
  expect(recorded.length).toBeGreaterThanOrEqual(answered)
})
