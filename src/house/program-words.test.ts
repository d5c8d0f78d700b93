import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programsIn, programWords, withoutPath } from './program-words.ts'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'postern-program-')))
})
afterEach(() => rmSync(home, { recursive: true }))

function script(folder: string): string {
  mkdirSync(join(home, folder, 'bin'), { recursive: true })
  const file = join(home, folder, 'bin', 'postern.mjs')
  writeFileSync(file, '')
  return file
}

function clone(folder = 'clone'): string {
  mkdirSync(join(home, folder, 'tools'), { recursive: true })
  writeFileSync(join(home, folder, 'tools', 'launch.mjs'), '')
  return script(folder)
}

test('npx finds it inside of a clone only', () => {
  const file = clone()
  const words = (cwd: string): string => programWords({ script: file, cwd, env: {} })
  expect(words(join(home, 'clone'))).toBe('npx postern')
  expect(words(join(home, 'clone', 'docs'))).toBe('npx postern')
  expect(words(home)).toBe(`node ${file}`)
  expect(words(join(home, 'clone-2'))).toBe(`node ${file}`)
  expect(words('/')).toBe(`node ${file}`)
})

test('a path with a space in it can be pasted', () => {
  const file = clone('my clone')
  expect(programWords({ script: file, cwd: home, env: {} })).toBe(`node "${file}"`)
})

test('what is installed has a name', () => {
  expect(programWords({ script: script('installed'), cwd: home, env: {} })).toBe('postern')
  const link = join(home, 'postern')
  symlinkSync(clone(), link)
  expect(programWords({ script: link, cwd: home, env: {} })).toBe('postern')
  expect(programWords({ script: '', cwd: home, env: {} })).toBe('postern')
})

test('whoever typed npx types it again', () => {
  expect(programWords({ script: script('installed'), cwd: home, env: { npm_command: 'exec' } })).toBe('npx postern')
})

test('commands for the mailbox of a demo keep its folder', () => {
  const started = { script: clone(), cwd: join(home, 'clone') }
  const words = (folder: string): string => programWords({ ...started, env: { POSTERN_DATA_DIR: folder } })
  expect(words('/tmp/postern-demo-02uyKK')).toBe('POSTERN_DATA_DIR=/tmp/postern-demo-02uyKK npx postern')
  expect(words('/var/lib/postern')).toBe('npx postern')
  expect(words('/tmp/a b/postern-demo-02uyKK')).toBe('npx postern')
})

test('no path of this machine is told to whoever is not signed in', () => {
  expect(withoutPath('node /home/ada/postern/bin/postern.mjs')).toBe('postern')
  for (const program of ['postern', 'npx postern']) expect(withoutPath(program)).toBe(program)
  expect(programsIn('/home/ada/data').programForStrangers).not.toContain('/home')
  const demo = programsIn('/tmp/postern-demo-02uyKK')
  expect(demo.program).toMatch(/^POSTERN_DATA_DIR=\/tmp\/postern-demo-02uyKK /)
})
