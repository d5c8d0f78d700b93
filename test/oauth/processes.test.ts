import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { REF, type Scene, setScene, tokenOf } from './scene.ts'

const ROUNDS = 15

function startRefresher({ directory, provider }: Scene, rounds = ROUNDS): ChildProcessByStdio<null, Readable, null> {
  const script = join(import.meta.dirname, 'refresher.ts')
  const child = spawn(process.execPath, [script, directory, provider.url, `${rounds}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('processes that refresh at once never use a refresh token twice', async () => {
  const scene = await setScene({ rotate: true })
  await scene.parts().secrets.write(REF, scene.provider.grant('ada'))
  const children = [startRefresher(scene), startRefresher(scene), startRefresher(scene)]
  const said = await Promise.all(children.map((child) => text(child.stdout)))
  for (const lines of said) expect(lines).toBe('token\n'.repeat(ROUNDS))
  expect(scene.provider.asked('refresh_token')).toBe(3 * ROUNDS)
  expect(await tokenOf(scene.access())).toMatch(/^access-/)
})

test('one that dies in its turn gives it back', async () => {
  const scene = await setScene({ fault: 'hang' })
  await scene.parts().secrets.write(REF, scene.provider.grant('ada'))
  const victim = startRefresher(scene)
  await expect.poll(() => scene.provider.asked('refresh_token')).toBe(1)
  victim.kill('SIGKILL')
  await once(victim, 'exit')
  scene.provider.manner.fault = 'none'
  expect(await text(startRefresher(scene, 1).stdout)).toBe('token\n')
})
