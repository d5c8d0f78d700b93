/** What the Dockerfile promises, as far as that can be seen without Docker. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../dovecot/dovecot.ts'
import { PROGRAM } from '../imap/postern.ts'
import { RawProcess } from '../mcp/raw-process.ts'
import { emptyFolder, ROOT, surroundings } from './installed.ts'

interface Instruction {
  readonly word: string
  readonly rest: string
}

const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const instructions: readonly Instruction[] = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [word = '', ...rest] = line.split(' ')
    return { word, rest: rest.join(' ').trim() }
  })
const lastStage = instructions.slice(instructions.findLastIndex(({ word }) => word === 'FROM'))
const of = (word: string, from = lastStage): string[] => from.filter((one) => one.word === word).map(({ rest }) => rest)
const env = Object.fromEntries(of('ENV').flatMap((rest) => rest.split(/\s+/).map((pair) => pair.split('='))))

test('it is built in one stage and runs in another, which brings nothing that builds', () => {
  expect(of('FROM', [...instructions])).toHaveLength(2)
  for (const run of of('RUN')) expect(run).not.toMatch(/\b(apt-get|apk|npm (ci|install|i)|curl|wget|gcc|make)\b/)
  const removed = of('RUN').join(' ')
  for (const tool of ['npm', 'npx', 'yarn', 'corepack']) expect(removed).toContain(`/usr/local/bin/${tool}`)
  expect(removed).toContain('/usr/local/lib/node_modules')
  const copied = of('COPY').filter((rest) => rest.startsWith('--from=build'))
  expect(copied.map((rest) => rest.split(' ').at(-1))).toEqual(['node_modules/', 'dist/', 'bin/'])
  const build = of('RUN', [...instructions]).join('\n')
  expect(build).toMatch(/npm ci --ignore-scripts/)
  expect(build).toMatch(/npm prune --omit=dev/)
})

test('it runs as nobody in particular', () => {
  expect(of('USER')).toEqual(['1000:1000'])
  // Whatever comes after is run as that user; nothing before it starts anything.
  const at = (word: string): number => lastStage.findIndex((one) => one.word === word)
  expect(at('USER')).toBeLessThan(at('ENTRYPOINT'))
})

test('its root file system may be read-only: all that is written lies in its volume', () => {
  expect(of('VOLUME')).toEqual(['/data'])
  expect(of('RUN').join(' ')).toMatch(/install -d -o 1000 -g 1000 -m 0700 \/data/)
  for (const name of ['HOME', 'XDG_CACHE_HOME', 'POSTERN_DATA_DIR']) expect(env[name]).toMatch(/^\/data(\/|$)/)
  expect(text).toContain('docker run --read-only')
})

test('what is copied in is there, and nothing else gets in', () => {
  const sources = of('COPY', [...instructions])
    .filter((rest) => !rest.startsWith('--from'))
    .flatMap((rest) => rest.split(/\s+/).slice(0, -1))
  for (const source of sources) expect(existsSync(join(ROOT, source))).toBe(true)
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  expect(ignored[0]).toBe('*')
  for (const source of sources) expect(ignored).toContain(`!${source}`)
  expect(instructions.filter(({ word }) => word === 'ADD' || word === 'ARG')).toEqual([])
})

test('its health check passes while a server answers, and fails when none does', async () => {
  const [check = ''] = of('HEALTHCHECK')
  const [program, ...words]: string[] = JSON.parse(check.slice(check.indexOf('CMD') + 3))
  expect(program).toBe('node')
  const port = String(await freePort())
  const home = surroundings(emptyFolder())
  const ask = (): Promise<number | null> =>
    new Promise((resolve) => {
      const asking = spawn(process.execPath, words, { env: { ...home, IMAP_MCP_HTTP_PORT: port }, stdio: 'ignore' })
      asking.once('exit', resolve)
    })
  expect(await ask()).toBe(1)
  const account = { MAIL_IMAP_A_HOST: '127.0.0.1', MAIL_IMAP_A_USER: 'a', MAIL_IMAP_A_PASS: 'a' }
  const [entry, command] = [of('ENTRYPOINT'), of('CMD')].map(([one = '[]']) => JSON.parse(one) as string[])
  expect(entry).toEqual(['node', '/app/bin/postern.mjs'])
  const served = { ...home, ...account, IMAP_MCP_HTTP_HOST: env['IMAP_MCP_HTTP_HOST'] ?? '', IMAP_MCP_HTTP_PORT: port }
  const server = new RawProcess([PROGRAM, ...(command ?? [])], served)
  onTestFinished(async () => {
    server.kill()
    await server.exitCode()
  })
  await expect.poll(() => server.errors).toContain(port)
  expect(await ask()).toBe(0)
})
