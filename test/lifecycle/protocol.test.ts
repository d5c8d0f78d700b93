/** How a conversation goes that is not quite as MCP has it, and how it ends when the process is told to stop. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDovecot } from '../dovecot/dovecot.ts'
import { startProxy } from '../dovecot/proxy.ts'
import { accountAt, INBOX, request, type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.close())

test('shutdown is answered, a bare initialized is taken, and a line that is no JSON is said to be none', async () => {
  const { process } = await scene.greet(INBOX)
  process.write({ jsonrpc: '2.0', method: 'initialized' }, '{"jsonrpc": "2.0", ', request(2, 'shutdown'))
  expect(await process.answer(2)).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
  expect(process.messages().filter(({ id }) => id === null)).toMatchObject([{ error: { code: -32700 } }])
  expect(process.messages()).toHaveLength(3)
  expect(await process.end()).toBe(0)
  expect(process.errors).toBe('')
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: what runs is cancelled and said so, on record, and the end is 0',
  async (signal) => {
    const dovecot = await startDovecot({ users: { ada: 'ada-password' } })
    const proxy = await startProxy(dovecot.port)
    try {
      const { process } = await scene.greet(INBOX, accountAt(proxy.port))
      process.write(request(2, 'tools/call', { name: 'list_emails', arguments: { account: 'ada@example.com' } }))
      await process.answer(2)
      proxy.stall(true)
      proxy.reset()
      process.write(request(3, 'tools/call', { name: 'list_emails', arguments: { account: 'ada@example.com' } }))
      await expect.poll(() => proxy.sent()).not.toBe('')
      process.child.kill(signal)
      expect(await process.exitCode()).toBe(0)
      expect(await process.answer(3)).toMatchObject({ id: 3, error: { code: -32603 } })
      const calls = (await readFile(join(scene.directory, 'logs', 'postern.log'), 'utf8')).match(/"tools\/call"/g)
      expect(calls).toHaveLength(2)
      const audit = join(scene.directory, 'audit')
      const days = await Promise.all(
        (await readdir(audit)).map((name) => readFile(join(audit, name), 'utf8').catch(() => '')),
      )
      expect(days.join('').match(/"list_emails"/g)?.length).toBeGreaterThanOrEqual(2)
    } finally {
      await proxy.stop()
      await dovecot.stop()
    }
  },
)
