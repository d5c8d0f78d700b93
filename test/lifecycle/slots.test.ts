/** So many processes serve the inbox set at once, and no more. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { INBOX, type Message, request, type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.close())

const REFUSED = { error: { code: -32000, message: 'Max connections reached', data: { code: 'max_connections' } } }
const SERVED = { result: { serverInfo: { name: 'postern' } } }

async function fill(count: number, args: readonly string[] = INBOX, env = {}) {
  return Promise.all(Array.from({ length: count }, () => scene.greet(args, env)))
}

test('the sixth is refused in the words of the contract, until one of the five is gone', async () => {
  const five = await fill(5)
  for (const { answer } of five) expect(answer).toMatchObject(SERVED)
  const sixth = await scene.greet(INBOX)
  expect(sixth.answer).toMatchObject(REFUSED)
  expect(await sixth.process.exitCode()).toBe(1)
  expect(sixth.process.errors).toMatch(/^postern: Max connections reached: 5 processes already serve .*end one of them/)
  // What does not serve the set over stdio takes no place and needs none.
  expect((await scene.greet(['serve', '--toolsets', 'imap'])).answer).toMatchObject(SERVED)
  const http = scene.start([...INBOX, '--transport', 'http', '--port', '0'])
  await expect.poll(() => http.errors).toContain('serving MCP at')
  // Killed as hard as can be: its place is free at once.
  const [first] = five
  first?.process.child.kill('SIGKILL')
  await first?.process.exitCode()
  const next = await scene.greet(INBOX)
  expect(next.answer).toMatchObject(SERVED)
  expect((await scene.greet(INBOX)).answer).toMatchObject(REFUSED)
  // Whoever ends in peace gives its place back too.
  expect(await next.process.end()).toBe(0)
  const last = await scene.greet(INBOX)
  expect(last.answer).toMatchObject(SERVED)
  last.process.write(request(2, 'tools/list'))
  expect(await last.process.answer(2)).toMatchObject({ result: {} })
})

test('a process that is stopped still has its place', async () => {
  const five = await fill(5)
  const [first] = five
  first?.process.child.kill('SIGSTOP')
  expect((await scene.greet(INBOX)).answer).toMatchObject(REFUSED)
  first?.process.child.kill('SIGCONT')
})

test('a tree says how many, and whoever is not identified hears that first', async () => {
  const tree = join(scene.directory, 'tree')
  await mkdir(join(tree, 'secrets'), { recursive: true })
  await writeFile(join(tree, 'secrets', 'ada'), 'ada-password', { mode: 0o600 })
  await writeFile(
    join(tree, 'accounts.yaml'),
    [
      'accounts:',
      '  - { id: ada, provider: imap-standard, host: 127.0.0.1, port: 1, user: ada, tls: none,',
      '      auth: { type: password, secret_ref: "secret://ada" } }',
      'secret_store: { backend: file_dir, path: secrets }',
      'limits: { connections: 2 }',
      '',
    ].join('\n'),
  )
  const callers = ['inbox', 'policy'].map(
    (set) => `  - { id: ${set}, policy: all, auth: { type: stdio_trusted }, toolsets: [${set}] }\n`,
  )
  await writeFile(join(tree, 'callers.yaml'), `callers:\n${callers.join('')}`)
  await mkdir(join(tree, 'policies'))
  const folders = '    - { path: INBOX, mode: blacklist, default: FULL }\n'
  await writeFile(join(tree, 'policies', 'all.yaml'), `name: all\naccounts:\n  ada:\n${folders}`)
  const as = (id: string): Promise<{ answer: Message }> =>
    scene.greet(['serve', '--config', tree], { IMAP_MCP_CALLER_ID: id })
  for (const one of await Promise.all([as('inbox'), as('inbox')])) expect(one.answer).toMatchObject(SERVED)
  expect((await as('inbox')).answer).toMatchObject(REFUSED)
  expect((await as('policy')).answer).toMatchObject(SERVED)
  expect((await as('nobody')).answer).toMatchObject({ error: { code: -32001 } })
})
