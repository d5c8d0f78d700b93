/** More attacks on the console: lines that are dropped, other users of the machine, odd requests. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openUnseen } from '../../src/adapters/oauth/browser.ts'
import { runProgram } from '../doctor/scene.ts'
import { type Scene, startScene } from './scene.ts'
import { raw, Visitor } from './visitor.ts'

let scene: Scene
let ada: Visitor

beforeAll(async () => {
  scene = await startScene()
  ada = await scene.visitor()
})
afterAll(() => scene.close())

const MOST_STREAMS = 64

/** Asks for events and leaves, sooner or later. */
function askAndLeave(afterMs: number): Promise<void> {
  const { hostname, port, host } = new URL(scene.origin)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET /console/api/events HTTP/1.1\r\nHost: ${host}\r\nCookie: ${ada.cookie}\r\n\r\n`)
      setTimeout(() => socket.destroy(), afterMs)
    })
    socket.resume()
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
  })
}

test('whoever asks for events and leaves at once keeps nobody else from them', async () => {
  for (let round = 0; round < 15; round++) {
    await Promise.all(Array.from({ length: 20 }, (_, at) => askAndLeave(at % 10)))
  }
  const page = await vi.waitUntil(() => ada.events().catch(() => undefined), { timeout: 60_000 })
  await page.until('hello')
  page.close()
})

test('a stream that nobody could read is not opened', async () => {
  const headers = { Cookie: ada.cookie ?? '', Origin: scene.origin, 'X-Postern-CSRF': ada.csrf }
  for (let at = 0; at <= MOST_STREAMS; at++) {
    const { status } = await fetch(`${scene.origin}/console/api/events`, { method: 'HEAD', headers })
    expect(status).toBe(404)
  }
  const page = await ada.events()
  await page.until('hello')
  page.close()
})

test('of many who decide about a letter at the same time one does', async () => {
  await scene.ask()
  const [{ id }] = (await ada.get('/console/api/outbox')).body.letters
  const other = await scene.visitor()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? ada : other).post(`/console/api/outbox/${id}/${at % 3 === 0 ? 'reject' : 'approve'}`, {}),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
})

test('a cookie that somebody chose beforehand is never the session', async () => {
  const chosen = 'A'.repeat(43)
  const visitor = new Visitor(scene.origin)
  visitor.cookie = `postern_console=${chosen}`
  const { status } = await visitor.signIn(await scene.door.newLink(scene.origin))
  expect([status, visitor.cookie === `postern_console=${chosen}`]).toEqual([200, false])
  expect((await ada.get('/console/api/session', { Cookie: `postern_console=${chosen}` })).status).toBe(401)
})

test.each([
  ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}x'],
  ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks of another kind', ['Transfer-Encoding: xchunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['two hosts', ['Host: evil.example', 'Content-Length: 2'], '{}'],
  ['two origins', ['Origin: http://evil.example', 'Content-Length: 2'], '{}'],
  ['two tokens', ['X-Postern-CSRF: x', 'Content-Length: 2'], '{}'],
])('a request with %s signs nobody out', async (_, more, body) => {
  const own = [
    `Cookie: ${ada.cookie}`,
    `Origin: ${scene.origin}`,
    'Content-Type: application/json',
    `X-Postern-CSRF: ${ada.csrf}`,
  ]
  const lines = ['POST /console/api/sign-out HTTP/1.1', `Host: ${new URL(scene.origin).host}`, ...own, ...more]
  expect(await raw(scene.origin, lines, body)).toMatch(/^HTTP\/1\.1 40[03] /)
  expect((await ada.get('/console/api/session')).status).toBe(200)
})

test('a browser that is started is not told the link where others can read it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pb-'))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(home, { recursive: true, force: true })
  })
  const argv = join(home, 'argv')
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'xdg-open'), `#!/bin/sh\necho "$@" > ${argv}.part && mv ${argv}.part ${argv}\n`)
  chmodSync(join(home, 'bin', 'xdg-open'), 0o755)
  vi.stubEnv('PATH', `${join(home, 'bin')}:${process.env['PATH']}`)
  const link = await scene.door.newLink(scene.origin)
  expect(await openUnseen(link, 'linux', home)).toBe(true)
  await expect.poll(() => existsSync(argv)).toBe(true)
  const told = readFileSync(argv, 'utf8').trim()
  expect(told).not.toContain(new URL(link).searchParams.get('token'))
  const page = fileURLToPath(told)
  expect(statSync(page).mode & 0o777).toBe(0o600)
  expect(readFileSync(page, 'utf8')).toContain(`content="0;url=${link}"`)
  expect(await openUnseen(link, 'linux', join(home, 'nowhere'))).toBe(false)
})

test('no link is made to a server that may be another user’s', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pl-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const folder = join(directory, 'console')
  mkdirSync(folder)
  writeFileSync(join(folder, 'at-1.txt'), 'http://127.0.0.1:8026')
  // The first process of a machine is root's, so somebody else has to ask.
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined
  if (nobody !== undefined) for (const path of [directory, folder]) chownSync(path, nobody, nobody)
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory, POSTERN_DATA_DIR: directory }
  const ran = await runProgram(['console', '--link'], env, nobody)
  expect([ran.code, ran.stdout]).toEqual([1, ''])
  expect(ran.stderr).toContain('no console is being served')
})
