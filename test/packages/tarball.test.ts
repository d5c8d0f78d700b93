/** What `npm pack` makes, installed in an empty folder. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder, ROOT, run, surroundings, toolsOf } from './installed.ts'

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

test('the tarball installs and runs in an empty folder, within its budget', async () => {
  const [out, folder] = [emptyFolder(), emptyFolder()]
  // Building again would pull the ground from under other tests.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], { cwd: ROOT })
  const answer: Packed[] | Record<string, Packed> = JSON.parse(stdout)
  const packed = Object.values(answer)[0]
  const paths = packed?.files.map(({ path }) => path) ?? []
  expect(paths).toEqual(
    expect.arrayContaining(['bin/postern.mjs', 'dist/postern.cjs', 'dist/THIRD-PARTY.txt', 'LICENSE']),
  )
  expect(paths.filter((path) => /^(src|test|tools|bench|node_modules)\/|\.v8|\.test\./.test(path))).toEqual([])

  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const tarball = join(out, packed?.filename ?? '')
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder })
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
  const packages = Object.entries<{ hasInstallScript?: boolean }>(lock.packages)
  expect(packages.length).toBeLessThanOrEqual(40)
  expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([])
  expect(sizeOf(join(folder, 'node_modules'))).toBeLessThan(60_000_000)

  const home = emptyFolder()
  const env = surroundings(home)
  const postern = join(folder, 'node_modules/.bin/postern')
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect((await run(postern, ['--version'], { env })).stdout).toBe(`${version}\n`)
  expect(existsSync(join(folder, 'node_modules/.bin/imap-mcp'))).toBe(true)
  // The make-believe mailbox needs the database that came with it.
  expect(await toolsOf(postern, ['demo', '--stdio'], env)).toContain('imap_search_messages')
  const health = await run(postern, ['doctor', '--json'], { env }).catch((error: { stdout: string }) => error)
  const { findings } = JSON.parse(health.stdout)
  expect(findings).toContainEqual(expect.objectContaining({ check: 'node', verdict: 'ok' }))
})

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
