/** What a command prints is there to its end, however late it is read. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { PROGRAM, surroundings } from '../imap/postern.ts'
import { type Scene, startScene } from './scene.ts'

/** More than a pipe holds. */
const LONG = 'A line that is one of many.\n'.repeat(12_000)

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

test('a long letter shown to a slow reader', async () => {
  const agent = await scene.agent()
  const said = await agent.say('send_email', { to: 'bob@example.com', subject: 'Long', body: LONG })
  const id = /Pending_Approval\/(\S+)\.md/.exec(said.text)?.[1] ?? ''
  const env = surroundings(scene.env, scene.directory)
  const child = spawn(process.execPath, [PROGRAM, 'outbox', id, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Longer than a command waits for whatever else is open when it is done.
  await new Promise((resolve) => child.stdout.once('readable', resolve))
  await pause(2500)
  expect((JSON.parse(await text(child.stdout)) as { id: string }).id).toBe(id)
})
