/** `postern reload`: tells the servers of a tree, and nobody else. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { initialize, type RawProcess } from '../mcp/raw-process.ts'
import { callerLine, policyYaml, type Scene, startScene, treeOf } from './scene.ts'

let scene: Scene

beforeEach(async () => {
  scene = await startScene(treeOf(['ann', 'ben'], 'stdio'))
})
afterEach(() => scene.close())

async function enter(args: readonly string[] = []): Promise<RawProcess> {
  const server = scene.start(args, { IMAP_MCP_CALLER_ID: 'ann' })
  server.write(initialize(1))
  await server.answer(1)
  return server
}

const run = (): string => join(scene.data, 'run')
const notes = async (): Promise<string[]> => (await readdir(run()).catch(() => [])).sort()
const reloads = async (): Promise<unknown[]> =>
  (await scene.records()).filter(({ tool }) => tool === 'policy_reload').map(({ reason }) => reason)

test('tells every server of the tree, and says which', async () => {
  const servers = [await enter(), await enter()]
  const { code, stdout, stderr } = await scene.run(['reload'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(
    /^2 servers told to read the configuration again \(process \d+, \d+\)\n.*postern audit show --tool policy_reload\n$/,
  )
  for (const { child } of servers) expect(stdout).toContain(String(child.pid))
  await expect.poll(reloads).toEqual(['reload_applied', 'reload_applied'])
  for (const server of servers) {
    expect(await server.end()).toBe(0)
    expect(server.errors).toMatch(/the configuration was read again and counts from now on/)
  }
  expect(await notes()).toEqual([])
})

test('a tree that cannot be used is told with file and line, and to no server', async () => {
  const server = await enter()
  await scene.write({ 'policies/ann.yaml': 'name: ann\naccounts:\n  ann:\n    - { path: INBOX, mode: grey }\n' })
  const { code, stdout, stderr } = await scene.run(['reload'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^policies\/ann\.yaml:4:\d+: /)
  expect(stderr).toMatch(/\npostern: nothing was reloaded\n$/)
  await scene.write({ 'policies/ann.yaml': policyYaml('ann', 'METADATA') })
  expect((await scene.run(['reload'])).code).toBe(0)
  // Had the first one told it, there would be two records.
  await expect.poll(reloads).toEqual(['reload_applied'])
  await server.end()
})

test('finds only servers of that tree, by whatever name it goes', async () => {
  const other = await startScene(treeOf(['ann'], 'stdio'))
  const link = join(scene.data, 'link')
  await mkdir(scene.data, { recursive: true })
  await symlink(scene.tree, link)
  const [mine, theirs] = [await enter(['--config', link]), await enter(['--config', other.tree])]
  const { code, stdout } = await scene.run(['reload', '--config', scene.tree])
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      `1 server told to read the configuration again (process ${mine.child.pid})`,
      expect.stringMatching(/ --tool policy_reload --config /),
      '',
    ],
  ])
  expect((await scene.run(['reload', '--config', other.tree])).stdout).toContain(String(theirs.child.pid))
  await Promise.all([mine.end(), theirs.end()])
  await other.close()
})

test('says so where no server is running', async () => {
  expect(await scene.run(['reload'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'postern: the configuration is good, but no server that uses it is running\n',
  })
})

test('what a killed server has left is cleared away', async () => {
  const server = await enter()
  server.child.kill('SIGKILL')
  await server.exitCode()
  expect(await notes()).toHaveLength(1)
  expect((await scene.run(['reload'])).code).toBe(1)
  expect(await notes()).toEqual([])
})

test('a process that has the number of a server that is gone is not signalled', async () => {
  const server = await enter()
  const [name = ''] = await notes()
  const note = JSON.parse(await readFile(join(run(), name), 'utf8'))
  // It would die of the signal.
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  await once(bystander, 'spawn')
  const { pid } = bystander
  const forged = [
    { ...note, pid },
    { ...note, pid, started: '' },
    { ...note, pid, started: undefined },
  ]
  for (const [index, text] of forged.entries())
    await writeFile(join(run(), `${pid}${index}.json`), JSON.stringify(text))
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    JSON.stringify({ ...note, pid: -1 }),
    JSON.stringify({ ...note, pid: 0 }),
  ]) {
    await writeFile(join(run(), `99999${text.length}.json`), text)
  }
  await writeFile(join(run(), 'notes.txt'), JSON.stringify(note))
  const { code, stdout } = await scene.run(['reload'])
  expect(code).toBe(0)
  expect(stdout).toContain(`1 server told to read the configuration again (process ${server.child.pid})\n`)
  await expect.poll(reloads).toEqual(['reload_applied'])
  expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null])
  bystander.kill('SIGKILL')
  await server.end()
})

test('a server that is told while it is starting is not harmed', async () => {
  const starting = [0, 1, 2, 3].map(() => scene.start([], { IMAP_MCP_CALLER_ID: 'ann' }))
  const telling = (async () => {
    for (let round = 0; round < 4; round++) await scene.run(['reload'])
  })()
  for (const server of starting) {
    server.write(initialize(1))
    await server.answer(1)
  }
  await telling
  for (const server of starting) expect(await server.end()).toBe(0)
})

test('a server over HTTP hears it too', async () => {
  await scene.write(treeOf(['ann', 'ben']))
  const server = await scene.serve()
  await scene.write({ 'callers.yaml': `callers:\n${callerLine('ann')}` })
  expect((await scene.run(['reload'])).stdout).toContain(String(server.process.child.pid))
  await expect.poll(reloads).toEqual(['reload_applied'])
})
