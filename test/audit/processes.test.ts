import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { listDayFiles } from '../../src/adapters/audit/day-files.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { newDirectory, recordsOf } from './scene.ts'

interface Appender {
  readonly child: ChildProcessByStdio<null, Readable, null>
  /** What it said was acknowledged, once it has ended. */
  readonly acknowledged: Promise<{ readonly tool: string; readonly seq: number }[]>
}

/** Signs with a key beside the directory. `more` is a clock of its own. */
function startAppender(directory: string, name: string, count: number, ...more: number[]): Appender {
  const words = [directory, name, count, join(directory, '..'), ...more].map(String)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'appender.ts'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  // A last line without its newline was cut by the kill.
  const acknowledged = text(child.stdout).then((said) => said.split('\n').slice(0, -1).map(parse))
  return { child, acknowledged }
}

function newAuditDirectory(): string {
  const directory = join(newDirectory(), 'audit')
  mkdirSync(directory)
  return directory
}

function parse(line: string): { tool: string; seq: number } {
  const [tool = '', seq = ''] = line.split(' ')
  return { tool, seq: Number(seq) }
}

async function toolsIn(directory: string): Promise<string[]> {
  const days = await listDayFiles(directory)
  return days.flatMap(({ day }) => recordsOf(directory, day).map(({ tool }) => tool))
}

test('four processes at once keep one chain, with every acknowledged record in it once', async () => {
  const directory = newAuditDirectory()
  const appenders = ['p', 'q', 'r', 's'].map((name) => startAppender(directory, name, 200))
  const acknowledged = (await Promise.all(appenders.map((appender) => appender.acknowledged))).flat()
  expect(acknowledged).toHaveLength(800)
  const written = (await toolsIn(directory)).filter((tool) => /^[pqrs]-/.test(tool))
  expect(written.sort()).toEqual(acknowledged.map(({ tool }) => tool).sort())
  const verification = await verifyAuditDirectory(directory)
  expect(verification).toMatchObject({ kind: 'intact', fromTheBeginning: true, key: { kind: 'found' } })
  expect(verification).toMatchObject({ attestation: { unknown: 0, unproved: 0 } })
})

test('whichever are killed, whenever, the chain holds and nothing acknowledged is lost or doubled', async () => {
  const directory = newAuditDirectory()
  const survivors = ['p', 'q', 'r'].map((name) => startAppender(directory, name, 200))
  const victims: Appender[] = []
  for (let round = 0; round < 10; round += 1) {
    const victim = startAppender(directory, `v${round}`, Number.MAX_SAFE_INTEGER)
    victims.push(victim)
    await once(victim.child.stdout, 'data')
    await pause(Math.random() * 50)
    victim.child.kill('SIGKILL')
  }
  const acknowledged = await Promise.all([...survivors, ...victims].map((appender) => appender.acknowledged))
  const times = new Map<string, number>()
  for (const tool of await toolsIn(directory)) times.set(tool, (times.get(tool) ?? 0) + 1)
  expect(acknowledged.slice(0, 3).map(({ length }) => length)).toEqual([200, 200, 200])
  expect(acknowledged.flat().filter(({ tool }) => times.get(tool) !== 1)).toEqual([])
  expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact', fromTheBeginning: true })
})

test('verification while others write finds nothing wrong', async () => {
  const directory = newAuditDirectory()
  const appenders = ['p', 'q'].map((name) => startAppender(directory, name, 200))
  const ended = Promise.all(appenders.map((appender) => appender.acknowledged))
  let writing = true
  void ended.finally(() => {
    writing = false
  })
  while (writing) {
    expect(await verifyAuditDirectory(directory)).toMatchObject({ kind: 'intact' })
    await pause(20)
  }
  expect((await ended).flat()).toHaveLength(400)
})

test('days that end while four processes write, one of them killed each day, break nothing', async () => {
  const directory = newAuditDirectory()
  const clock = [Date.now(), 86_400]
  const survivors = ['p', 'q', 'r'].map((name) => startAppender(directory, name, 1500, ...clock))
  const victims: Appender[] = []
  for (let round = 0; round < 4; round += 1) {
    const victim = startAppender(directory, `v${round}`, Number.MAX_SAFE_INTEGER, ...clock)
    victims.push(victim)
    await once(victim.child.stdout, 'data')
    await pause(400 + Math.random() * 400)
    victim.child.kill('SIGKILL')
  }
  const others = await Promise.all([...survivors, ...victims].map((one) => one.acknowledged))
  // Whoever was killed last may have left something unsigned: the next one signs it.
  const acknowledged = [...others, await startAppender(directory, 'z', 1, ...clock).acknowledged].flat()
  const times = new Map<string, number>()
  for (const tool of await toolsIn(directory)) times.set(tool, (times.get(tool) ?? 0) + 1)
  expect(acknowledged.filter(({ tool }) => times.get(tool) !== 1)).toEqual([])
  const verification = await verifyAuditDirectory(directory)
  expect(verification).toMatchObject({ kind: 'intact', fromTheBeginning: true, attestation: { unproved: 0 } })
  expect((await listDayFiles(directory)).length).toBeGreaterThan(2)
})
