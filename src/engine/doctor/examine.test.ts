import { expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { Check } from './check.ts'
import { CHECKS } from './checks.ts'
import { examine } from './examine.ts'
import { ok } from './finding.ts'
import type { World } from './world.ts'

const logged: unknown[] = []
const log = { debug() {}, info() {}, warn() {}, error: (fields: unknown) => void logged.push(fields) }
/** None of the checks here looks at anything. */
const world = {} as World

const check = (name: string, run: Check['run']): Check => ({ name, looksAt: name, patienceMs: 20, run })

test('tells of every check, in order, whatever becomes of the others', async () => {
  const names: (readonly string[])[] = []
  const { findings, counts } = await examine({
    world,
    log,
    signal: new AbortController().signal,
    onProgress: (unfinished) => names.push(unfinished),
    checks: [
      check('hangs', () => new Promise(() => undefined)),
      check('fails', () => Promise.reject(new Failure('unavailable', 'the world said no'))),
      check('errs', () => Promise.reject(new TypeError('a secret may stand here'))),
      check('fine', async () => [ok('all is well')]),
    ],
  })
  expect(findings.map(({ check: name, verdict }) => [name, verdict])).toEqual([
    ['hangs', 'warning'],
    ['fails', 'broken'],
    ['errs', 'broken'],
    ['fine', 'ok'],
  ])
  expect(findings[1]).toMatchObject({ sentence: 'the world said no' })
  expect(JSON.stringify(findings)).not.toContain('a secret may stand here')
  expect(logged).toEqual([expect.objectContaining({ check: 'errs' })])
  expect(counts).toEqual({ ok: 1, warning: 1, broken: 2 })
  expect([names[0]?.length, names.at(-1)]).toEqual([4, []])
})

test('what is asked to stop is told to stop', async () => {
  const stopping = new AbortController()
  let heard: AbortSignal | undefined
  const waits = check('waits', async (_world, signal) => {
    heard = signal
    stopping.abort()
    return [ok('stopped')]
  })
  await examine({ world, log, signal: stopping.signal, checks: [waits] })
  expect(heard?.aborted).toBe(true)
})

test('every check of the table has a name of its own, and no more patience than a person has', () => {
  expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length)
  for (const { name, looksAt, patienceMs = 0 } of CHECKS) {
    expect(name).toMatch(/^[a-z]+$/)
    expect(looksAt).not.toBe('')
    expect(patienceMs).toBeLessThanOrEqual(30_000)
  }
})
