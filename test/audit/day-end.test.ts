import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AuditFiles } from '../../src/adapters/audit/audit-log.ts'
import { systemDisk } from '../../src/adapters/audit/disk.ts'
import { runRootHook } from '../../src/adapters/audit/root-hook.ts'
import { entry, HandClock, newDirectory, openLog, recordsOf, toolsOf } from './scene.ts'

const DAY = '2026-05-06'

interface Scene {
  readonly directory: string
  readonly clock: HandClock
  readonly output: string
  readonly warnings: unknown[]
  open(): AuditFiles
}

/** The hook is a program of this text; `$OUT` in it is a file to write to. */
function withHook(script: string): Scene {
  const home = newDirectory()
  const [directory, output, hook] = [join(home, 'audit'), join(home, 'out'), join(home, 'root hook;$(x)')]
  writeFileSync(hook, `#!/bin/sh\n${script.replaceAll('$OUT', output)}\n`)
  chmodSync(hook, 0o700)
  const clock = new HandClock(`${DAY}T12:00:00.000Z`)
  const warnings: unknown[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) }
  const environment = { PATH: '/usr/bin:/bin', HOME: home, LANG: 'C', SECRET: 'token' }
  const open = (): AuditFiles => openLog(directory, clock, systemDisk, { hook, environment, log })
  return { directory, clock, output, warnings, open }
}

function said(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}

test('the hook gets the final hash and the day, and hardly any environment', async () => {
  const { directory, clock, output, open } = withHook('printf "%s\\n" "$#" "$@" "[$SECRET]" "$LANG" "done" >> $OUT')
  const log = open()
  await log.append(entry('a'))
  clock.set('2026-05-07T00:00:00.000Z')
  await log.append(entry('b'))
  await expect.poll(() => said(output).at(-1)).toBe('done')
  const eof = recordsOf(directory, DAY).at(-1)
  expect(said(output)).toEqual(['2', eof?.final_hash, DAY, '[]', 'C', 'done'])
})

test('it runs once for a day, whoever closes it, and not for a day that was closed before', async () => {
  const { clock, output, open } = withHook('echo "$2" >> $OUT')
  const logs = [open(), open(), open()]
  await Promise.all(logs.map((log) => log.append(entry('a'))))
  clock.set('2026-05-07T00:00:00.000Z')
  await Promise.all(logs.map((log) => log.endDay()))
  await Promise.all(logs.map((log) => log.append(entry('b'))))
  clock.set('2026-05-08T00:00:00.000Z')
  await open().append(entry('c'))
  await expect.poll(() => said(output).sort()).toEqual([DAY, '2026-05-07'])
})

test.each([
  ['fails', 'exit 3', { code: 3 }],
  ['is killed', 'kill -9 $$', { signal: 'SIGKILL' }],
])('a hook that %s is logged, and recording goes on', async (_name, script, fields) => {
  const { clock, warnings, directory, open } = withHook(script)
  const log = open()
  await log.append(entry('a'))
  clock.set('2026-05-07T00:00:00.000Z')
  await log.append(entry('b'))
  await expect.poll(() => warnings).toEqual([expect.objectContaining({ day: DAY, ...fields })])
  expect(toolsOf(directory, '2026-05-07')).toEqual(['b'])
})

test('a hook that is not there is logged, and a slow one is not waited for', async () => {
  const directory = newDirectory()
  const clock = new HandClock(`${DAY}T12:00:00.000Z`)
  const warnings: unknown[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) }
  const files = openLog(directory, clock, systemDisk, { hook: join(directory, 'nothing'), log })
  await files.append(entry('a'))
  clock.set('2026-05-07T00:00:00.000Z')
  await files.append(entry('b'))
  await expect.poll(() => warnings).toHaveLength(1)
  const slow = withHook('sleep 2; echo late > $OUT')
  const slowly = slow.open()
  await slowly.append(entry('a'))
  slow.clock.set('2026-05-07T00:00:00.000Z')
  await slowly.append(entry('b'))
  await slowly.close()
  expect(said(slow.output)).toEqual([])
})

test('a hook that does not end is ended', async () => {
  const program = join(newDirectory(), 'hook')
  writeFileSync(program, '#!/bin/sh\nexec sleep 60\n', { mode: 0o700 })
  const warnings: unknown[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) }
  runRootHook({ program, finalHash: 'sha256:0', day: DAY, environment: { PATH: '/usr/bin:/bin' } }, log, 50)
  await expect.poll(() => warnings).toEqual([{ day: DAY, code: null, signal: 'SIGKILL' }])
})

test('a day is ended soon after midnight though nothing is recorded', async () => {
  const directory = newDirectory()
  const clock = new HandClock(`${DAY}T23:59:59.950Z`)
  await openLog(directory, clock).append(entry('a'))
  clock.set('2026-05-07T00:00:00.000Z')
  await expect.poll(() => toolsOf(directory, DAY)).toEqual(['a', 'eof_day'])
})
