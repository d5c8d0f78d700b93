/** What is said after an import under a configuration tree, so that agents can read what was imported. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Scene, startScene, treeOf } from '../callers/scene.ts'
import { letter } from '../mail-source/messages.ts'

let scene: Scene
afterEach(() => scene.close())

async function imported(account: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const path = join(scene.tree, '..', 'old.eml')
  writeFileSync(path, letter({ subject: 'old' }))
  return scene.run(['import', path, '--account', account])
}

test('an account that the tree does not name: what to add is printed, and adding it is enough', async () => {
  scene = await startScene(treeOf(['ann'], 'stdio'))
  const { code, stdout, stderr } = await imported('old')
  const said = stdout + stderr
  expect(code).toBe(0)
  expect(said).toContain('Imported 1 message')
  expect(said).toContain(`No agent can read it yet: ${scene.tree} does not name the account`)
  const [, account = ''] = /accounts\.yaml, below "accounts:":\n(.*\n)/.exec(said) ?? []
  const [, rules = ''] = /\(ann\), below "accounts:":\n((?: .*\n)+)/.exec(said) ?? []
  const add = async (file: string, lines: string): Promise<void> => {
    const text = readFileSync(join(scene.tree, file), 'utf8')
    await scene.write({ [file]: text.replace(/^accounts:\n/m, `accounts:\n${lines}`) })
  }
  await add('accounts.yaml', account)
  expect((await imported('old')).stdout).toContain('does not show it to anyone')
  await add('policies/ann.yaml', rules)
  expect(await scene.run(['check'])).toMatchObject({ code: 0 })
  const again = await imported('old')
  expect(again).toMatchObject({ code: 0 })
  expect(again.stdout).not.toContain('No agent')
  expect(
    await scene.run(['explain', '--caller', 'ann', '--account', 'old', '--folder', 'INBOX', '--uid', '1']),
  ).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('FULL'),
  })
})

test('an account of the tree that has a server is refused before anything is read', async () => {
  const tree = treeOf(['ann'], 'stdio')
  const server =
    '  - { id: far, host: 127.0.0.1, port: 1, auth: { type: password, secret_ref: "secret://callers/ann" } }\n'
  scene = await startScene({
    ...tree,
    'accounts.yaml': `${tree['accounts.yaml']}`.replace(/^accounts:\n/m, `accounts:\n${server}`),
  })
  const { code, stderr } = await imported('far')
  expect(code).toBe(1)
  expect(stderr).toContain('has a mail server; choose another id')
})
