import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openBrowser } from './browser.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pb-'))
  vi.stubEnv('PATH', `${directory}:/usr/bin:/bin`)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(directory, { recursive: true, force: true })
  })
})

test('the opener gets the address as one word that no shell has seen', async () => {
  const [opener, heard] = [join(directory, 'xdg-open'), join(directory, 'heard')]
  writeFileSync(opener, `#!/bin/sh\nprintf '%s|' "$#" "$@" > ${heard}.new\nmv ${heard}.new ${heard}\n`)
  chmodSync(opener, 0o755)
  const url = `https://provider.example/auth?a=$(touch ${directory}/pwned)&b=';x`
  expect(await openBrowser(url, 'linux')).toBe(true)
  await expect.poll(() => existsSync(heard)).toBe(true)
  expect(readFileSync(heard, 'utf8')).toBe(`1|${url}|`)
  expect(existsSync(join(directory, 'pwned'))).toBe(false)
})

test('without an opener, and for what is no web address, nothing is opened', async () => {
  vi.stubEnv('PATH', directory)
  expect(await openBrowser('https://provider.example/', 'linux')).toBe(false)
  expect(await openBrowser('file:///etc/passwd', 'linux')).toBe(false)
})
