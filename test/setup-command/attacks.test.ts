/** Setting up under attack: killed in the middle, odd files in the way, directories that are links. */
import { execFileSync, spawnSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClientFiles } from '../../src/adapters/clients/client-files.ts'
import { stageTree } from '../../src/adapters/tree-writer/staged-tree.ts'

let root: string
let tree: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pa-'))
  tree = join(root, 'tree')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const now = (): number => Date.UTC(2026, 4, 6, 7, 8, 9)
const stages = async (): Promise<readonly string[]> => (await readdir(root)).filter((name) => name.includes('-setup-'))

/** A process that has put a password into its stage, and then is no more. */
function killedWhileStaging(): void {
  const module = pathToFileURL(join(import.meta.dirname, '../../src/adapters/tree-writer/staged-tree.ts')).href
  const script = `
    import { mkdirSync, writeFileSync } from 'node:fs'
    const { stageTree } = await import(${JSON.stringify(module)})
    const { directory } = await stageTree({ directory: ${JSON.stringify(tree)}, now: () => 0 })
    mkdirSync(directory + '/secrets', { recursive: true })
    writeFileSync(directory + '/secrets/password', 'hunter22')
    process.kill(process.pid, 'SIGKILL')`
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect([signal, stderr]).toEqual(['SIGKILL', expect.any(String)])
}

test('what a killed setup left is gone with the next one, password and all', async () => {
  killedWhileStaging()
  const [left] = await stages()
  expect(await readFile(join(root, left ?? '', 'secrets', 'password'), 'utf8')).toBe('hunter22')
  const staged = await stageTree({ directory: tree, now })
  expect(await stages()).toEqual([staged.directory.slice(root.length + 1)])
  await staged.discard()
  expect(await readdir(root)).toEqual([])
})

test('what it was linked to stays, and so do stages of those who live and names that only look like one', async () => {
  await mkdir(join(tree, 'secrets'), { recursive: true })
  await writeFile(join(tree, 'secrets', 'mine'), 'kept')
  killedWhileStaging()
  const living = await stageTree({ directory: tree, now })
  for (const name of ['.tree-setup-notes', '.tree-setup-0-abcdef', '.other-setup-999999999-abcdef']) {
    await mkdir(join(root, name))
  }
  const staged = await stageTree({ directory: tree, now })
  expect(await readFile(join(tree, 'secrets', 'mine'), 'utf8')).toBe('kept')
  const own = [living, staged].map(({ directory }) => directory.slice(root.length + 1))
  expect((await stages()).toSorted()).toEqual(
    [...own, '.tree-setup-notes', '.tree-setup-0-abcdef', '.other-setup-999999999-abcdef'].toSorted(),
  )
  await living.discard()
  await staged.discard()
})

test.skipIf(process.platform === 'win32')(
  'a pipe or a device in the place of a client’s file is not waited for',
  async () => {
    const files = createClientFiles({ home: root, now })
    const pipe = join(root, '.cursor', 'mcp.json')
    await mkdir(dirname(pipe))
    execFileSync('mkfifo', [pipe])
    await expect(files.read([pipe])).rejects.toThrow(/no ordinary file/)
    await expect(files.replace([pipe], '{}', undefined)).rejects.toThrow(/no ordinary file/)
    expect((await lstat(pipe)).isFIFO()).toBe(true)
    const zero = join(root, 'zero.json')
    await symlink('/dev/zero', zero)
    await expect(files.read([zero])).rejects.toThrow(/no ordinary file/)
  },
)

test('a tree whose directory is a link to an empty one is not put in the place of the link', async () => {
  const real = join(root, 'real')
  await mkdir(real)
  await symlink(real, tree)
  const staged = await stageTree({ directory: tree, now })
  const outcome = await staged.commit().then(
    () => 'committed',
    (error: unknown) => String(error),
  )
  await staged.discard()
  expect([outcome, (await lstat(tree)).isSymbolicLink()]).toEqual([expect.stringMatching(/was not changed/), true])
  expect((await readdir(root)).toSorted()).toEqual(['real', 'tree'])
})
