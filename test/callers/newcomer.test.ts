/** What commands say to somebody who mistyped a name, or has set up nothing yet: the built program, on real files. */
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.close())

test('the record of a server that nobody has started yet is empty, and no failure', async () => {
  const audit = join(scene.data, 'audit')
  expect(await scene.run(['audit', 'show'])).toEqual({
    code: 0,
    stdout: '',
    stderr: `postern: there are no records yet; they will be in ${audit}\n`,
  })
  const named = await scene.run(['audit', 'show', audit])
  expect(named).toMatchObject({ code: 1, stdout: '' })
  expect(named.stderr).toContain('there is no such directory')
})

test('what is not there is said before it is said that nobody can be asked', async () => {
  expect((await scene.run(['approve', '261115-0a1b'])).stderr).toContain('there is no letter with that id')
  expect((await scene.run(['reject', '261115-0a1b'])).stderr).toContain('there is no letter with that id')
  expect(await scene.run(['forget', 'anne'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'postern: there is no account "anne", and nothing is kept of it; there are: ann, ben\n',
  })
  expect((await scene.run(['forget', 'ann'])).stderr).toContain('add --yes')
})
