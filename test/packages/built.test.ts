/** A launcher builds again exactly where a build could come out otherwise. */
import { cp, mkdir, mkdtemp, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

interface Built {
  isBuilt(node: string): boolean
  forgetBuilt(): void
  noteBuilt(node: string): void
}

const ROOT = join(import.meta.dirname, '../..')
const NODE = '/usr/bin/node'
let clone: string
let built: Built

beforeAll(async () => {
  clone = await realpath(await mkdtemp(join(tmpdir(), 'postern-built-')))
  for (const folder of ['src', 'dist/.v8', 'dist/console', 'node_modules']) {
    await mkdir(join(clone, folder), { recursive: true })
  }
  await cp(join(ROOT, 'tools'), join(clone, 'tools'), {
    recursive: true,
    filter: (path) => !/tools\/(node|\.)/.test(path) || /tools\/node\/package(-lock)?\.json$/.test(path),
  })
  await cp(join(ROOT, 'package.json'), join(clone, 'package.json'))
  for (const file of ['src/main.ts', 'dist/postern.cjs', 'dist/console/app.js', 'node_modules/.package-lock.json']) {
    await writeFile(join(clone, file), `of ${file}`)
  }
  built = await import(/* @vite-ignore */ pathToFileURL(join(clone, 'tools', 'built.mjs')).href)
})
afterAll(() => rm(clone, { recursive: true, force: true }))

test('nothing is known before a build, and after one nothing is to be done', () => {
  expect(built.isBuilt(NODE)).toBe(false)
  built.noteBuilt(NODE)
  expect(built.isBuilt(NODE)).toBe(true)
  built.forgetBuilt()
  expect(built.isBuilt(NODE)).toBe(false)
})

test('what the program keeps for itself does not count, and no more does a file that was only touched', async () => {
  built.noteBuilt(NODE)
  await writeFile(join(clone, 'dist/.v8/cache'), 'x')
  await utimes(join(clone, 'src/main.ts'), 1, 1)
  expect(built.isBuilt(NODE)).toBe(true)
})

test.each(['src/main.ts', 'dist/console/app.js', 'tools/build.mjs', 'package.json', 'node_modules/.package-lock.json'])(
  '%s, changed under its old time or gone, calls for a build',
  async (name) => {
    const file = join(clone, name)
    const [{ atime, mtime }, text] = [await stat(file), await readFile(file, 'utf8')]
    built.noteBuilt(NODE)
    await writeFile(file, `${text} `)
    await utimes(file, atime, mtime)
    expect(built.isBuilt(NODE)).toBe(false)
    built.noteBuilt(NODE)
    await rm(file)
    expect(built.isBuilt(NODE)).toBe(false)
    await writeFile(file, text)
  },
)

test('a new source calls for a build, and so does another Node', async () => {
  built.noteBuilt(NODE)
  expect(built.isBuilt('/opt/node')).toBe(false)
  await writeFile(join(clone, 'src/more.ts'), '')
  expect(built.isBuilt(NODE)).toBe(false)
})
