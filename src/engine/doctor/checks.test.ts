/** What checks make of facts that are hard to bring about on a real machine. */
import { expect, test } from 'vitest'
import { CHECKS } from './checks.ts'
import type { Finding } from './finding.ts'
import type { World } from './world.ts'

const MB = 1024 * 1024

async function findings(name: string, facts: Partial<World>): Promise<readonly Finding[]> {
  const check = CHECKS.find((one) => one.name === name)
  const world = { now: () => 0, ...facts } as World
  return check?.run(world, new AbortController().signal) ?? []
}

const node = (version: string, unloadable: readonly string[] = []): Partial<World> => ({
  runtime: async () => ({ node: version, needed: '22.12', unloadable }),
})
const free = (bytes: number | undefined): Partial<World> => ({ freeBytes: async () => bytes })
const port = (state: 'forbidden' | 'taken', isWanted: boolean): Partial<World> => ({
  port: async () => ({ host: '127.0.0.1', port: 80, state, isWanted }),
})

test.each<[string, Partial<World>, Finding['verdict'] | undefined, RegExp, RegExp?]>([
  ['node', node('20.11.1'), 'broken', /Node 20\.11\.1, and 22\.12 or newer/, /install Node 24/],
  ['node', node('22.11.0'), 'broken', /22\.11\.0/, /install Node 24/],
  ['node', node('22.12.0'), 'ok', /22\.12\.0/],
  ['node', node('24.0.0', ['better-sqlite3']), 'broken', /better-sqlite3 cannot be loaded/, /npm install -g postern/],
  ['disk', free(10 * MB), 'broken', /^10 MB are left/, /make room/],
  ['disk', free(200 * MB), 'warning', /^200 MB are left/, /postern forget/],
  ['disk', free(5000 * MB), 'ok', /^5000 MB/],
  ['disk', free(undefined), undefined, /^$/],
  ['port', port('forbidden', true), 'broken', /may not listen at 127\.0\.0\.1:80/, /--port 8025/],
  ['port', port('taken', false), 'warning', /another program listens/, /--port 81/],
  ['audit', { audit: async () => ({ kind: 'unfinished' }) }, 'warning', /too long/, /postern audit verify/],
  [
    'audit',
    { audit: async () => ({ kind: 'unreadable', why: 'it may not be read', directory: '/a b' }) },
    'broken',
    /may not be read/,
    /'\/a b'/,
  ],
  [
    'mirror',
    { mirrors: [{ account: 'a', state: async () => ({ kind: 'older' }) }] },
    'warning',
    /an older version/,
    /postern sync a/,
  ],
])('%s: %#', async (name, facts, verdict, sentence, cure) => {
  const [found] = await findings(name, facts)
  expect(found?.verdict).toBe(verdict)
  expect(found?.sentence ?? '').toMatch(sentence)
  if (cure === undefined) expect(found?.cure).toBeUndefined()
  else expect(found?.cure).toMatch(cure)
})
