/** What is written about requests, and that two processes may write it at once. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RawProcess } from '../mcp/raw-process.ts'
import { INBOX, request, type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.close())

const MEGABYTE = 1_000_000
const CANARY = 'zanzibar-canary'

const folder = (): string => join(scene.directory, 'logs')
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('one line for each request: which, how long and how, and nothing of what was in it', async () => {
  const { process } = await scene.greet(INBOX)
  process.write(request(2, 'tools/list'))
  process.write(request(3, 'tools/call', { name: 'list_emails', arguments: { account: CANARY } }))
  process.write(request(4, 'tools/call', { name: CANARY, arguments: {} }))
  await Promise.all([2, 3, 4].map((id) => process.answer(id)))
  expect(await process.end()).toBe(0)
  const lines = await linesOf(join(folder(), 'postern.log'))
  const told = lines.map(({ method, tool, outcome }) => ({ method, tool, outcome }))
  expect(told).toHaveLength(4)
  expect(told).toEqual(
    expect.arrayContaining([
      { method: 'initialize', tool: undefined, outcome: 'ok' },
      { method: 'tools/list', tool: undefined, outcome: 'ok' },
      { method: 'tools/call', tool: 'list_emails', outcome: -32002 },
      { method: 'tools/call', tool: undefined, outcome: -32602 },
    ]),
  )
  for (const line of lines) {
    expect(Object.keys(line).filter((key) => key !== 'tool')).toEqual([
      'time',
      'request',
      'method',
      'duration_ms',
      'outcome',
    ])
    expect(line['request']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(new Date(String(line['time'])).toISOString()).toBe(line['time'])
    expect(line['duration_ms']).toEqual(expect.any(Number))
  }
  expect(new Set(lines.map((line) => line['request'])).size).toBe(4)
  expect(JSON.stringify(lines)).not.toContain(CANARY)
  expect([await modeOf(folder()), await modeOf(join(folder(), 'postern.log'))]).toEqual([0o700, 0o600])
})

test('a stopped process has written its lines', async () => {
  const { process } = await scene.greet(INBOX)
  process.child.kill('SIGTERM')
  expect(await process.exitCode()).toBe(0)
  expect(await linesOf(join(folder(), 'postern.log'))).toMatchObject([{ method: 'initialize' }])
})

test('a log that cannot be written is no reason not to answer', async () => {
  await writeFile(folder(), 'something else is in its place')
  const { process, answer } = await scene.greet(INBOX)
  expect(answer).toMatchObject({ result: { serverInfo: { name: 'postern' } } })
  process.write(request(2, 'tools/list'))
  expect(await process.answer(2)).toMatchObject({ result: {} })
  expect(await process.end()).toBe(0)
})

test('two processes that fill it at once lose no line, and the files stay few and small', async () => {
  const script = join(import.meta.dirname, 'noter.ts')
  const [rounds, each] = [8, 1000]
  const noters = ['one', 'two'].map((name) => new RawProcess([script, scene.directory, name, `${rounds}`, `${each}`]))
  for (const noter of noters) expect([await noter.exitCode(), noter.errors]).toEqual([0, ''])
  const names = (await readdir(folder())).filter((name) => !name.endsWith('.lock')).sort()
  expect(names.length).toBeGreaterThan(3)
  expect(names).toEqual(
    ['postern.log', 'postern.log.1', 'postern.log.2', 'postern.log.3', 'postern.log.4'].slice(0, names.length),
  )
  const methods: unknown[] = []
  for (const name of names) {
    const path = join(folder(), name)
    expect((await stat(path)).size).toBeLessThanOrEqual(MEGABYTE)
    expect(await modeOf(path)).toBe(0o600)
    methods.push(...(await linesOf(path)).map((line) => line['method']))
  }
  const wanted = ['one', 'two'].flatMap((name) => Array.from({ length: rounds * each }, (_, at) => `${name}-${at}`))
  expect(methods.toSorted()).toEqual(wanted.toSorted())
})

test('of several processes that see at once that it is full, one moves it aside', async () => {
  const args = [join(import.meta.dirname, 'rotator.ts'), join(scene.directory, 'tiny.log'), '3000']
  const rotators = Array.from({ length: 3 }, () => new RawProcess(args))
  for (const rotator of rotators) {
    expect([await rotator.exitCode(), rotator.errors, rotator.output]).toEqual([0, '', ''])
  }
})

test('the oldest lines go when there are five files', async () => {
  const noter = new RawProcess([join(import.meta.dirname, 'noter.ts'), scene.directory, 'one', '6', '5000'])
  expect(await noter.exitCode()).toBe(0)
  const names = (await readdir(folder())).filter((name) => !name.endsWith('.lock')).sort()
  expect(names).toEqual(['postern.log', 'postern.log.1', 'postern.log.2', 'postern.log.3', 'postern.log.4'])
  const newest = await linesOf(join(folder(), 'postern.log'))
  expect(newest.at(-1)).toMatchObject({ method: `one-${6 * 5000 - 1}` })
  const oldest = await linesOf(join(folder(), 'postern.log.4'))
  expect(oldest[0]).not.toMatchObject({ method: 'one-0' })
})

test('a crash leaves its name and what was asked last', async () => {
  const crasher = new RawProcess([join(import.meta.dirname, 'crasher.ts'), scene.directory, CANARY])
  expect(await crasher.exitCode()).not.toBe(0)
  const lines = await linesOf(join(folder(), 'postern.log'))
  expect(lines).toMatchObject([
    { method: 'tools/call', tool: 'list_emails', outcome: 'ok' },
    { last_method: 'tools/call', outcome: 'crash', error: 'TypeError' },
  ])
  expect(JSON.stringify(lines)).not.toContain(CANARY)
})
