/**
 * Reading real mail from a real Dovecot: Postern through an MCP client beside imapflow by itself, on loopback and through
 * a line of 40 ms, with the round trips that each needs.
 *
 * INVARIANT: a time counts only where both sides found the same messages.
 */
import { deepStrictEqual, ok } from 'node:assert'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { capabilityWithout, type Dovecot, startDovecot } from '../test/dovecot/dovecot.ts'
import { type MailProxy, startProxy } from '../test/dovecot/proxy.ts'
import { count, median, megabytes, ms, times } from './figures.ts'
import { MESSAGES, mailbox, SUBJECT_WORD } from './mailbox.ts'
import { residentBytes } from './memory.ts'
import { imapflowReader, posternReader, type Reader } from './reader.ts'
import type { Goal, Section } from './report.ts'
import { inTemporaryFolder } from './servers.ts'

const USER = 'reader'
const PASSWORD = 'bench'
const PAGE = 20
const ONE_WAY_MS = 20
const LOOPBACK_ROUNDS = 40
const LINE_ROUNDS = 12

const WORK = {
  [`list the ${PAGE} newest`]: (reader: Reader) => reader.listNewest(PAGE),
  [`search a word in subjects, ${PAGE} newest`]: (reader: Reader) => reader.searchSubject(SUBJECT_WORD, PAGE),
  'read one HTML mail': (reader: Reader) => reader.read(MESSAGES),
}

/** What the work may cost in round trips, where the server sorts and where it does not. */
const TRIPS = { sorting: [2, 2, 2], plain: [3, 3, 2] } as const

interface Sides {
  readonly imapflow: Reader
  readonly postern: Reader
}

interface Figure {
  readonly imapflow: number
  readonly postern: number
}

export async function mail(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const sorting = await measureServer(home, 'sorting', undefined)
    const plain = await measureServer(home, 'plain', capabilityWithout('SORT', 'SORT=DISPLAY', 'ESORT'))
    const names = Object.keys(WORK)
    return {
      title: `Reading mail from Dovecot, ${count(MESSAGES)} messages`,
      note: `Medians of ${LOOPBACK_ROUNDS} interleaved rounds on loopback and ${LINE_ROUNDS} through a line of ${2 * ONE_WAY_MS} ms round trip, on open connections. Postern is a process of its own behind an MCP client and also decides, cleans and records; imapflow runs in the measuring process and only fetches. Postern's memory afterwards: ${megabytes(sorting.resident)}.`,
      head: [
        '',
        'imapflow',
        'Postern',
        'ratio',
        `imapflow, ${2 * ONE_WAY_MS} ms`,
        `Postern, ${2 * ONE_WAY_MS} ms`,
        'ratio',
        'round trips: imapflow',
        'Postern',
      ],
      rows: [
        ...names.map((name, at) => row(name, sorting, at)),
        ...names.map((name, at) => row(`${name} (no SORT)`, plain, at)),
      ],
      goals: [
        ...names.map((name, at) => goal(name, sorting, at, TRIPS.sorting)),
        ...names.map((name, at) => goal(`${name} (no SORT)`, plain, at, TRIPS.plain)),
      ],
    }
  })
}

interface Measured {
  readonly loopback: readonly Figure[]
  readonly line: readonly Figure[]
  readonly trips: readonly Figure[]
  readonly resident: number
}

async function measureServer(home: string, name: string, capability: string | undefined): Promise<Measured> {
  const dovecot = await startDovecot({
    users: { [USER]: PASSWORD },
    ...(capability === undefined ? {} : { capability }),
  })
  try {
    await dovecot.deliver(USER, 'INBOX', mailbox())
    const proxy = await startProxy(dovecot.port)
    try {
      return await measure(join(home, name), dovecot, proxy)
    } finally {
      await proxy.stop()
    }
  } finally {
    await dovecot.stop()
  }
}

async function measure(home: string, dovecot: Dovecot, proxy: MailProxy): Promise<Measured> {
  const near = await openSides(join(home, 'near'), dovecot.port)
  try {
    const loopback = await timed(near, LOOPBACK_ROUNDS)
    const far = await openSides(join(home, 'far'), proxy.port)
    try {
      const trips = await counted(far, proxy)
      proxy.delay(ONE_WAY_MS)
      const line = await timed(far, LINE_ROUNDS)
      return { loopback, line, trips, resident: residentBytes(near.postern.pid ?? 0) }
    } finally {
      proxy.delay(0)
      await closeSides(far)
    }
  } finally {
    await closeSides(near)
  }
}

/** Connected, with every cache warm, and sure to find the same. */
async function openSides(home: string, port: number): Promise<Sides> {
  mkdirSync(home, { recursive: true })
  const login = { port, user: USER, password: PASSWORD }
  const sides = { imapflow: await imapflowReader(login), postern: await posternReader(home, login) }
  const newest = await sides.imapflow.listNewest(PAGE)
  deepStrictEqual(await sides.postern.listNewest(PAGE), newest)
  deepStrictEqual(
    await sides.postern.searchSubject(SUBJECT_WORD, PAGE),
    await sides.imapflow.searchSubject(SUBJECT_WORD, PAGE),
  )
  for (const reader of [sides.imapflow, sides.postern])
    ok((await reader.read(MESSAGES)).includes('Something new about item 3'))
  return sides
}

async function closeSides({ imapflow, postern }: Sides): Promise<void> {
  await Promise.all([imapflow.close(), postern.close()])
}

async function timed(sides: Sides, rounds: number): Promise<Figure[]> {
  const samples = Object.values(WORK).map(() => ({ imapflow: [] as number[], postern: [] as number[] }))
  for (let round = -2; round < rounds; round += 1) {
    for (const [at, work] of Object.values(WORK).entries()) {
      for (const side of ['imapflow', 'postern'] as const) {
        const began = performance.now()
        await work(sides[side])
        if (round >= 0) samples[at]?.[side].push(performance.now() - began)
      }
    }
  }
  return samples.map(({ imapflow, postern }) => ({ imapflow: median(imapflow), postern: median(postern) }))
}

async function counted(sides: Sides, proxy: MailProxy): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const work of Object.values(WORK)) {
    const trips = { imapflow: 0, postern: 0 }
    for (const side of ['imapflow', 'postern'] as const) {
      proxy.reset()
      await work(sides[side])
      trips[side] = proxy.roundTrips()
    }
    figures.push(trips)
  }
  return figures
}

function row(name: string, { loopback, line, trips }: Measured, at: number): string[] {
  const [near, far, trip] = [loopback[at], line[at], trips[at]]
  if (near === undefined || far === undefined || trip === undefined) return [name]
  return [
    name,
    ...[near, far].flatMap(({ imapflow, postern }) => [ms(imapflow), ms(postern), times(postern / imapflow)]),
    count(trip.imapflow),
    count(trip.postern),
  ]
}

function goal(name: string, { trips }: Measured, at: number, limits: readonly number[]): Goal {
  return {
    what: `round trips: ${name}`,
    measured: trips[at]?.postern ?? Number.NaN,
    atMost: limits[at] ?? 0,
    write: count,
  }
}
