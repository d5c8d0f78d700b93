/** The doctor only looks: what lies on the machine is the same after it, and no secret is told. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD, type Scene, startClient, startScene, textOf } from '../setup-command/scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

test('with an account, a mirror, a record and a letter that waits, nothing is made or changed', async () => {
  const smtp = ['--smtp-host', '127.0.0.1', '--smtp-port', String(scene.sink.port)]
  expect(await scene.setup('--preset', 'assistant', '--client', 'cursor', '--mirror', 'full', ...smtp)).toMatchObject({
    code: 0,
  })
  const client = await startClient(scene.home, '.cursor/mcp.json', 'mcpServers')
  await textOf(client, 'send_email', { to: 'new@example.com', subject: 'hello', body: 'a letter' })
  await client.close()
  expect(await scene.postern(['sync'])).toMatchObject({ code: 0 })

  const before = await scene.everything()
  const ran = await scene.postern(['doctor', '--json'])
  expect(JSON.parse(ran.stdout).counts.broken).toBe(0)
  expect(ran.stdout + ran.stderr).not.toContain(PASSWORD)
  const after = await scene.everything()
  expect(Object.keys(after)).toEqual(Object.keys(before))
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual([])
  expect(scene.sink.messages).toEqual([])
})
