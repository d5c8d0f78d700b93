/** The console under attack: whoever is not its signed-in person, on a page of its own, gets nothing and changes nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Scene, startScene } from './scene.ts'
import { raw, Visitor } from './visitor.ts'

let scene: Scene
let ada: Visitor
let letter: string

beforeAll(async () => {
  scene = await startScene()
  await scene.ask()
  ada = await scene.visitor()
  letter = (await ada.get('/console/api/outbox')).body.letters[0].id
})
afterAll(() => scene.close())

const GETS = ['session', 'outbox', 'outbox?all=1', 'activity', 'access', 'accounts', 'transfers', 'events']
const posts = (): [string, unknown][] => [
  ['sign-out', {}],
  [`outbox/${letter}/approve`, {}],
  [`outbox/${letter}/revise`, { how: 'plain_text' }],
  [`outbox/${letter}/reject`, {}],
  [`outbox/${letter}/settle`, { wasSent: true }],
  [`outbox/${letter}/look`, {}],
  ['access/simulate', { caller: 'local', account: 'work', mailbox: 'INBOX', uid: 1 }],
  ['access/diff', { policyText: '' }],
  ['accounts/work/reconnect', {}],
  ['transfers/x/retry', {}],
  ['transfers/x/abandon', {}],
]

/** Every attack ends so: the letter waits as it did, and whoever is signed in stays so. */
async function expectUntouched(): Promise<void> {
  const { status, body } = await ada.get(`/console/api/outbox/${letter}`)
  expect([status, body.state]).toEqual([200, 'waiting'])
}

test('without a cookie there is nothing to read and nothing to change', async () => {
  const nobody = new Visitor(scene.origin)
  for (const path of [...GETS, `outbox/${letter}`, 'nothing-here']) {
    const { status, body } = await nobody.get(`/console/api/${path}`)
    expect([path, status, body]).toEqual([path, 401, { error: { code: 'no_session', message: expect.any(String) } }])
  }
  for (const [path, sent] of posts()) expect((await nobody.post(`/console/api/${path}`, sent)).status).toBe(401)
  await expectUntouched()
})

test.each([
  ['a bearer token', { Authorization: 'Bearer a-token-of-more-than-twenty-characters' }],
  ['the session in a header', { Authorization: 'Bearer SECRET' }],
  ['a password', { Authorization: 'Basic cm9vdDpyb290' }],
  ['a made-up cookie', { Cookie: `postern_console=${'A'.repeat(43)}` }],
  ['a cookie of another name', { Cookie: 'console=SECRET' }],
  ['the cookie twice', { Cookie: `postern_console=${'A'.repeat(43)}; postern_console=SECRET` }],
  ['a caller', { 'X-MCP-Caller-Id': 'local' }],
])('%s opens nothing', async (_, headers) => {
  const thief = new Visitor(scene.origin)
  const secret = ada.cookie?.split('=')[1] ?? ''
  const given = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('SECRET', secret)]),
  )
  for (const path of GETS) expect((await thief.get(`/console/api/${path}`, given)).status).toBe(401)
  const csrf = { ...given, 'X-Postern-CSRF': ada.csrf }
  for (const [path, sent] of posts()) expect((await thief.post(`/console/api/${path}`, sent, csrf)).status).toBe(401)
  await expectUntouched()
})

test.each([
  'http://evil.example',
  'null',
  'http://127.0.0.1',
  'http://127.0.0.1:1',
  'http://localhost:PORT',
  'ORIGIN.evil.example',
  'ORIGIN/',
  'ftp://127.0.0.1:PORT',
  'ORIGIN, http://evil.example',
  '',
])('a change from %j is refused, cookie and token or not', async (from) => {
  const { port } = new URL(scene.origin)
  const Origin = from.replace('ORIGIN', scene.origin).replace('PORT', port)
  for (const [path, sent] of posts()) {
    const { status, body } = await ada.post(`/console/api/${path}`, sent, { Origin })
    expect([path, status, body.error.code]).toEqual([path, 403, 'refused'])
  }
  const link = await scene.door.newLink(scene.origin)
  const token = new URL(link).searchParams.get('token')
  expect((await ada.post('/console/api/sign-in', { token }, { Origin })).status).toBe(403)
  // Nor was the link used up by it.
  expect((await new Visitor(scene.origin).signIn(link)).status).toBe(200)
  await expectUntouched()
})

test('what another site asks for is not even read to it', async () => {
  for (const path of GETS) {
    expect((await ada.get(`/console/api/${path}`, { Origin: 'http://evil.example' })).status).toBe(403)
    for (const site of ['cross-site', 'same-site']) {
      expect((await ada.get(`/console/api/${path}`, { 'Sec-Fetch-Site': site })).status).toBe(403)
    }
  }
  expect((await ada.get('/console/api/session', { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200)
})

test('a change without the token of the session is refused', async () => {
  const other = await scene.visitor()
  for (const csrf of [
    '',
    'x',
    other.csrf,
    ada.csrf.toUpperCase(),
    ada.csrf.slice(1),
    `${ada.csrf} x`,
    ada.cookie?.split('=')[1] ?? '',
  ]) {
    for (const [path, sent] of posts()) {
      const { status, body } = await ada.post(`/console/api/${path}`, sent, { 'X-Postern-CSRF': csrf })
      expect([path, status, body.error.code]).toEqual([path, 403, 'refused'])
    }
  }
  await expectUntouched()
})

test('what a form of another page could send is no JSON, and is not taken', async () => {
  for (const type of [
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json, text/plain',
  ]) {
    const { status } = await ada.post(`/console/api/outbox/${letter}/approve`, '{}', { 'Content-Type': type })
    expect(status).toBe(415)
  }
  await expectUntouched()
})

test('nothing but a POST changes anything', async () => {
  for (const [path] of posts()) {
    const { status } = await ada.get(`/console/api/${path}`)
    expect([path, status]).toEqual([path, 404])
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND']) {
      const headers = { Cookie: ada.cookie ?? '', Origin: scene.origin, 'X-Postern-CSRF': ada.csrf }
      const response = await fetch(`${scene.origin}/console/api/${path}`, { method, headers })
      expect(response.status).toBeGreaterThanOrEqual(400)
    }
  }
  await expectUntouched()
})

test('no site may ask beforehand either', async () => {
  const headers = {
    Origin: 'http://evil.example',
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'x-postern-csrf',
  }
  const response = await fetch(`${scene.origin}/console/api/outbox/${letter}/approve`, { method: 'OPTIONS', headers })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null])
})

const TRICKS = [
  '/console/../mcp',
  '/console/..%2fmcp',
  '/console/%2e%2e/mcp',
  '/console/./api/session',
  '//console/api/session',
  '/console//api/session',
  '/console/api//session',
  '/CONSOLE/api/session',
  '/Console/',
  '/console%2fapi%2fsession',
  '/%63onsole/api/session',
  '/%2563onsole/api/session',
  '/console\\api\\session',
  '/x/../console/api/session',
  '/console/api/session%00',
  '/console/api/session;x=1',
  '/console/api/session/..',
  '/mcp/../console/api/outbox',
  '/console/app.js%00.html',
  '/console/%2e%2e%2f%2e%2e%2fpackage.json',
  '/console/..\\..\\package.json',
  '/console/api/%73ession',
  '/console/ api/session',
]

test.each(TRICKS)('the path %j leads nowhere, signed in or not', async (path) => {
  for (const cookie of [[], [`Cookie: ${ada.cookie}`]]) {
    const answer = await raw(scene.origin, [`GET ${path} HTTP/1.1`, `Host: ${new URL(scene.origin).host}`, ...cookie])
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /)
    expect(answer).not.toContain('csrf')
  }
})

test('only what stands on the list is served', async () => {
  for (const path of [
    '/console/index.html',
    '/console/page.css',
    '/console/main.tsx',
    '/console/app.js.map',
    '/console/favicon.ico',
    '/console/api',
    '/console/nothing',
    '/console/outbox/x/y',
    '/console/sign-in/x',
    '/package.json',
  ]) {
    expect([path, (await ada.get(path)).status]).toEqual([path, 404])
  }
})

test('a name that somebody made to lead here is not answered', async () => {
  for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '']) {
    const answer = await raw(scene.origin, [
      'GET /console/api/session HTTP/1.1',
      `Host: ${host}`,
      `Cookie: ${ada.cookie}`,
    ])
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /)
    expect(answer).not.toContain('csrf')
  }
  const absolute = await raw(scene.origin, [
    `GET http://evil.example/console/api/session HTTP/1.1`,
    `Host: ${new URL(scene.origin).host}`,
    `Cookie: ${ada.cookie}`,
  ])
  expect(absolute).toMatch(/^HTTP\/1\.1 40[034] /)
})

test('too much is not read', async () => {
  const big = JSON.stringify({ reason: 'x'.repeat(200_000) })
  expect((await ada.post(`/console/api/outbox/${letter}/reject`, big)).status).toBe(413)
  const { status, body } = await ada.post('/console/api/access/diff', { policyText: 'x'.repeat(5_000_000) })
  expect([status, body.error.code]).toEqual([413, 'too_large'])
  expect((await ada.post('/console/api/sign-in', { token: 'x'.repeat(100_000) })).status).toBe(413)
  await expectUntouched()
})

test.each([
  '',
  '[',
  'null',
  '[]',
  '{"reason":5}',
  '{"more":1}',
  `{"reason":"${'\\u000a'}"}`,
  `{"reason":"${'x'.repeat(501)}"}`,
  '{"__proto__":{"reason":"x"},"constructor":1}',
])('a body such as %j is told so', async (body) => {
  const answer = await ada.post(`/console/api/outbox/${letter}/reject`, body)
  expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_input'])
  await expectUntouched()
})

test.each(['x', '000000-000000000000', "261115-00000000000'", '__proto__', '261115'])(
  'there is no letter %j',
  async (id) => {
    expect((await ada.get(`/console/api/outbox/${encodeURIComponent(id).replaceAll("'", '')}`)).status).toBe(404)
    expect(
      (await ada.post(`/console/api/outbox/${encodeURIComponent(id).replaceAll("'", '')}/approve`, {})).status,
    ).toBe(404)
  },
)

test('the beginning of an id approves nothing', async () => {
  for (const some of [letter.slice(0, 7), letter.slice(0, -1), letter.slice(0, 1)]) {
    expect((await ada.post(`/console/api/outbox/${some}/approve`, {})).status).toBe(404)
  }
  await expectUntouched()
})

test('an approval of another letter than was shown is refused', async () => {
  const { status, body } = await ada.post(`/console/api/outbox/${letter}/approve`, { digest: 'f'.repeat(64) })
  expect([status, body.error.code]).toEqual([409, 'conflict'])
  await expectUntouched()
})

test('a flood of refusals leaves few records', async () => {
  const nobody = new Visitor(scene.origin)
  const before = scene.records().length
  for (let at = 0; at < 200; at++) await nobody.get('/console/api/outbox')
  expect(scene.records().length - before).toBeLessThanOrEqual(60)
})
