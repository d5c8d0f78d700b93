import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createCallCounter } from '../../src/adapters/counter/call-counter.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { createLimits, type Limits, unlimited } from '../../src/engine/gate/limits.ts'
import type { CallCounter, CallTally, CallWindow } from '../../src/ports/call-counter.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { callerWith } from './scene.ts'

const START = Date.parse('2026-05-06T10:00:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'limits-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function newCounter(directory = newDirectory()): CallCounter {
  const counter = createCallCounter({ directory, databases: databaseFiles })
  onTestFinished(() => counter.close())
  return counter
}

function byHand(counter: CallCounter): { limits: Limits; clock: { now: number } } {
  const clock = { now: START }
  const handClock: Clock = { now: () => clock.now, elapsed: () => clock.now }
  return { limits: createLimits(counter, handClock), clock }
}

async function admitted(limits: Limits, caller: Parameters<Limits['admit']>[0], times: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, () => limits.admit(caller, 'tool', undefined)))
  return answers.filter((wait) => wait === 0).length
}

test('a caller without limits is let through and nothing is counted', async () => {
  const directory = newDirectory()
  const { limits } = byHand(newCounter(directory))
  const { limits: _, ...caller } = callerWith({})
  expect(await admitted(limits, caller, 50)).toBe(50)
  expect(await admitted(limits, callerWith({}), 50)).toBe(50)
  expect(await unlimited.admit(callerWith({ perMinute: 0 }), 'tool', undefined)).toBe(0)
  expect(readdirSync(directory)).toEqual([])
})

test('so many in a minute, then none until the minute is over', async () => {
  const { limits, clock } = byHand(newCounter())
  const caller = callerWith({ perMinute: 5 })
  expect(await admitted(limits, caller, 20)).toBe(5)
  clock.now += MINUTE - 1
  expect(await admitted(limits, caller, 20)).toBe(0)
  clock.now += 1
  expect(await admitted(limits, caller, 20)).toBe(5)
})

test('a refused call does not count', async () => {
  const { limits, clock } = byHand(newCounter())
  const caller = callerWith({ perMinute: 100, perHour: 2 })
  expect(await admitted(limits, caller, 500)).toBe(2)
  clock.now += HOUR
  expect(await admitted(limits, caller, 500)).toBe(2)
})

test('both windows bind, and each caller has its own', async () => {
  const { limits, clock } = byHand(newCounter())
  const caller = callerWith({ perMinute: 3, perHour: 7 })
  const got: number[] = []
  for (let minute = 0; minute < 4; minute++) {
    got.push(await admitted(limits, caller, 10))
    clock.now += MINUTE
  }
  expect(got).toEqual([3, 3, 1, 0])
  expect(await admitted(limits, callerWith({ perMinute: 3 }, 'another'), 10)).toBe(3)
})

test('a limit of none lets none through', async () => {
  const { limits } = byHand(newCounter())
  expect(await admitted(limits, callerWith({ perMinute: 0 }), 3)).toBe(0)
})

test('a limit that is raised or lowered holds from the next call on', async () => {
  const { limits } = byHand(newCounter())
  expect(await admitted(limits, callerWith({ perHour: 10 }), 20)).toBe(10)
  expect(await admitted(limits, callerWith({ perHour: 15 }), 20)).toBe(5)
  expect(await admitted(limits, callerWith({ perHour: 4 }), 20)).toBe(0)
})

test('a clock that was set back locks nobody out', async () => {
  const { limits, clock } = byHand(newCounter())
  const caller = callerWith({ perMinute: 2, perHour: 3 })
  expect(await admitted(limits, caller, 9)).toBe(2)
  clock.now -= 24 * HOUR
  expect(await admitted(limits, caller, 9)).toBe(2)
  clock.now += MINUTE
  expect(await admitted(limits, caller, 9)).toBe(1)
})

test('whatever the times, it lets through what counting by hand would', async () => {
  const counter = newCounter()
  let run = 0
  const window = fc.record({ lengthMs: fc.integer({ min: 1, max: 50 }), most: fc.integer({ min: 1, max: 6 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(window, { minLength: 1, maxLength: 2 }),
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 }),
      async (windows, pauses) => {
        const caller = `caller ${run++}`
        const taken: number[] = []
        let now = START
        for (const pause of pauses) {
          now += pause
          const free = windows.every((each) => inside(taken, each, now) < each.most)
          const wait = await counter.take([{ name: caller, windows }], now)
          expect(wait === 0).toBe(free)
          if (free) taken.push(now)
          else {
            // One who comes back when told to is let through; a moment earlier there was no room.
            const roomAt = (at: number): boolean => windows.every((each) => inside(taken, each, at) < each.most)
            expect([roomAt(now + wait), roomAt(now + wait - 1)]).toEqual([true, false])
          }
        }
      },
    ),
    { numRuns: 60 },
  )
})

function inside(taken: readonly number[], { lengthMs }: CallWindow, now: number): number {
  return taken.filter((at) => at > now - lengthMs).length
}

test('a call counts in all of its tallies or in none', async () => {
  const counter = newCounter()
  const tally = (name: string, most: number): CallTally => ({ name, windows: [{ lengthMs: MINUTE, most }] })
  expect(await counter.take([tally('all', 3), tally('one', 1)], START)).toBe(0)
  expect(await counter.take([tally('all', 3), tally('one', 1)], START + 1000)).toBe(MINUTE - 1000)
  expect(await counter.take([tally('all', 3), tally('two', 1)], START + 2000)).toBe(0)
  expect(await counter.take([tally('all', 3)], START + 3000)).toBe(0)
  expect(await counter.take([tally('all', 3)], START + 4000)).toBe(MINUTE - 4000)
})

test('a tool set has limits of its own, for each caller and each tool', async () => {
  const { limits, clock } = byHand(newCounter())
  const set = { set: 'inbox', perMinute: 5, perHour: 8, perTool: { search: 2 }, deadlineMs: 1 }
  const caller = callerWith({})
  const wait = (tool: string): Promise<number> => limits.admit(caller, tool, set)
  expect([await wait('search'), await wait('search'), await wait('search')]).toEqual([0, 0, MINUTE])
  expect([await wait('read'), await wait('read'), await wait('read'), await wait('read')]).toEqual([0, 0, 0, MINUTE])
  clock.now += MINUTE
  expect([await wait('read'), await wait('read'), await wait('read'), await wait('read')]).toEqual([
    0,
    0,
    0,
    HOUR - MINUTE,
  ])
  expect(await limits.admit({ ...caller, id: 'another' }, 'read', set)).toBe(0)
})

test('what was counted outlives the process, and no more is kept than is needed', async () => {
  const directory = newDirectory()
  const first = createCallCounter({ directory, databases: databaseFiles })
  const caller = callerWith({ perMinute: 4 })
  const { limits, clock } = byHand(first)
  for (let minute = 0; minute < 5; minute++, clock.now += MINUTE) await admitted(limits, caller, 10)
  await first.close()
  const second = byHand(newCounter(directory))
  second.clock.now = clock.now - 1
  expect(await admitted(second.limits, caller, 10)).toBe(0)
  const db = new Sqlite(join(directory, 'limits.db'), { readonly: true })
  expect(db.prepare('select count(*) from call').pluck().get()).toBe(4)
  db.close()
})

test('several processes at once let through exactly as many as one', async () => {
  const directory = newDirectory()
  const takers = Array.from({ length: 3 }, () => startTaker(directory, 400))
  await Promise.all(takers.map(({ ready }) => ready))
  const counts = await Promise.all(takers.map(({ go }) => go()))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(500)
})

function startTaker(directory: string, count: number): { ready: Promise<unknown>; go: () => Promise<number> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'taker.ts'), directory, `${count}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    ready: lines.next(),
    go: async () => {
      child.stdin.end()
      return Number((await lines.next()).value)
    },
  }
}

test('the file is for its owner alone, also where it was open before', async () => {
  const directory = join(newDirectory(), 'data')
  mkdirSync(directory, { mode: 0o700 })
  writeFileSync(join(directory, 'limits.db'), '')
  chmodSync(join(directory, 'limits.db'), 0o644)
  const { limits } = byHand(newCounter(directory))
  await limits.admit(callerWith({ perMinute: 1 }), 'tool', undefined)
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777)
  expect(modes.length).toBeGreaterThan(1)
  expect(new Set(modes)).toEqual(new Set([0o600]))
})

test('where nothing can be counted the call is refused', async () => {
  const directory = newDirectory()
  const refused = { code: 'unavailable', message: expect.stringContaining('cannot be counted') }
  const admit = (at: string): Promise<number> =>
    byHand(newCounter(at)).limits.admit(callerWith({ perMinute: 1 }), 'tool', undefined)

  const file = join(directory, 'file')
  writeFileSync(file, '')
  await expect(admit(file)).rejects.toMatchObject(refused)

  const damaged = join(directory, 'damaged')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'limits.db'), 'no database at all '.repeat(100))
  await expect(admit(damaged)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('delete'),
  })

  const foreign = join(directory, 'foreign')
  mkdirSync(foreign)
  const db = new Sqlite(join(foreign, 'limits.db'))
  db.exec('create table other (id integer)')
  db.close()
  await expect(admit(foreign)).rejects.toMatchObject(refused)

  const closed = createCallCounter({ directory, databases: databaseFiles })
  await closed.close()
  await expect(byHand(closed).limits.admit(callerWith({ perMinute: 1 }), 'tool', undefined)).rejects.toMatchObject(
    refused,
  )
})

test('a counter that could not be opened is tried again', async () => {
  const directory = join(newDirectory(), 'data')
  writeFileSync(directory, '')
  const { limits } = byHand(newCounter(directory))
  await expect(limits.admit(callerWith({ perMinute: 1 }), 'tool', undefined)).rejects.toMatchObject({
    code: 'unavailable',
  })
  rmSync(directory)
  expect(await limits.admit(callerWith({ perMinute: 1 }), 'tool', undefined)).toBe(0)
})

test('whatever a counter throws, the call is refused as unavailable', async () => {
  const broken: CallCounter = { take: () => Promise.reject(new TypeError('a bug')), close: async () => {} }
  const { limits } = byHand(broken)
  await expect(limits.admit(callerWith({ perHour: 1 }), 'tool', undefined)).rejects.toMatchObject({
    code: 'unavailable',
    name: 'Failure',
  })
})
