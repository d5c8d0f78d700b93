/** The console beside `/mcp`, in the built program: two doors with two locks. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Scene, startScene, tokenOf } from '../callers/scene.ts'
import { PROGRAM } from '../imap/postern.ts'
import { RawProcess } from '../mcp/raw-process.ts'
import { type ServedProcess, startServed } from './served.ts'
import { expectGuarded, raw, Visitor } from './visitor.ts'

let scene: Scene
let served: ServedProcess
let ada: Visitor

beforeAll(async () => {
  scene = await startScene()
  await scene.deliver('ann', 'Hello')
  served = await startServed(['--transport', 'http', '--port', '0'], scene.env())
  ada = new Visitor(served.origin)
  expect((await ada.signIn(served.link)).status).toBe(200)
})
afterAll(async () => {
  await served.stop()
  await scene.close()
})

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const MCP = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
const ask = (headers: Record<string, string>): Promise<Response> =>
  fetch(`${served.origin}/mcp`, { method: 'POST', headers: { ...MCP, ...headers }, body: JSON.stringify(LIST) })

test('the link of the start-up line signs in, and shows what the tree says', async () => {
  const { callers } = (await ada.get('/console/api/access')).body
  expect(callers).toMatchObject([{ id: 'ann', policy: 'ann' }, { id: 'ben' }])
  const { accounts } = (await ada.get('/console/api/accounts')).body
  expect(accounts).toMatchObject([{ id: 'ann', state: 'no_server' }, { id: 'ben' }])
  const simulated = { caller: 'ann', account: 'ann', mailbox: 'INBOX', uid: 1 }
  expect((await ada.post('/console/api/access/simulate', simulated)).body).toMatchObject({
    level: 'FULL',
    subject: 'Hello',
  })
})

test('an agent’s token does not open the console', async () => {
  const Authorization = `Bearer ${tokenOf('ann')}`
  expect((await ask({ Authorization })).status).toBe(200)
  const agent = new Visitor(served.origin)
  for (const path of ['session', 'outbox', 'activity', 'access', 'accounts', 'transfers', 'events']) {
    expect((await agent.get(`/console/api/${path}`, { Authorization })).status).toBe(401)
  }
  const csrf = { Authorization, 'X-Postern-CSRF': ada.csrf }
  expect((await agent.post('/console/api/accounts/ann/reconnect', {}, csrf)).status).toBe(401)
  expect((await agent.post('/console/api/sign-in', { token: tokenOf('ann') }, { Authorization })).status).toBe(401)
  agent.cookie = `postern_console=${tokenOf('ann')}`
  expect((await agent.get('/console/api/session')).status).toBe(401)
})

test('the cookie does not open /mcp', async () => {
  const secret = ada.cookie?.split('=')[1] ?? ''
  for (const headers of [
    { Cookie: ada.cookie ?? '' },
    { Authorization: `Bearer ${secret}` },
    { 'X-Postern-CSRF': ada.csrf },
  ]) {
    const response = await ask({ Origin: served.origin, ...headers })
    expect(response.status).toBe(401)
    await response.body?.cancel()
  }
})

test.each([
  '/console/../mcp',
  '/console/..%2fmcp',
  '//mcp/../console/api/session',
  '/mcp/../console/api/session',
  '/CONSOLE/api/session',
])('no path leads from one door to the other: %s', async (path) => {
  const { host } = new URL(served.origin)
  const both = [`Cookie: ${ada.cookie}`, `Authorization: Bearer ${tokenOf('ann')}`]
  const answer = await raw(served.origin, [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...both])
  expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  expect(answer).not.toContain('csrf')
})

test('other sites and other names are refused here as well', async () => {
  const evil = { Origin: 'http://evil.example' }
  expect((await ada.post('/console/api/accounts/ann/reconnect', {}, evil)).status).toBe(403)
  expect((await ada.get('/console/api/session', evil)).status).toBe(403)
  const answer = await raw(served.origin, ['GET /console/ HTTP/1.1', 'Host: evil.example'])
  expect(answer).toMatch(/^HTTP\/1\.1 403 /)
})

test('the page may be shown in no frame', async () => {
  for (const path of ['/', '/console/', '/console/sign-in?token=x', '/console/app.js', '/console/nothing']) {
    const response = await fetch(served.origin + path, { redirect: 'manual' })
    expectGuarded(response.headers)
    await response.body?.cancel()
  }
})

test('what was refused is on record, with where it came from', async () => {
  const reasons = new Set(
    (await scene.records()).filter(({ tool }) => tool === 'auth_failed').map(({ reason }) => reason),
  )
  expect(reasons).toEqual(
    new Set([
      'console_no_session',
      'console_wrong_link',
      'console_wrong_origin',
      'console_disguised_path',
      'no_bearer_token',
      'wrong_token',
    ]),
  )
})

test('a new link can be had while it runs, and a session outlives the server', async () => {
  const more = new RawProcess([PROGRAM, 'console', '--link'], scene.env())
  expect(await more.end()).toBe(0)
  expect(new URL(more.output.trim()).origin).toBe(served.origin)
  const second = new Visitor(served.origin)
  expect((await second.signIn(more.output.trim())).status).toBe(200)
  expect((await second.signIn(served.link)).status).toBe(401)

  const open = await ada.events()
  await open.until('hello')
  expect(await served.stop()).toBe(0)
  const none = new RawProcess([PROGRAM, 'console', '--link'], scene.env())
  expect([await none.end(), none.output]).toEqual([1, ''])
  expect(none.errors).toContain('no console is being served')

  served = await startServed(['--transport', 'http', '--port', '0'], scene.env())
  const back = new Visitor(served.origin)
  back.cookie = ada.cookie
  const { status, body } = await back.get('/console/api/session')
  expect([status, body.csrf]).toEqual([200, ada.csrf])
})
