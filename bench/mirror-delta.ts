/**
 * What it costs to learn that nothing has changed: Postern before an answer, the shortest exchange over a bare socket, and
 * mbsync run again; near, and behind a slow line.
 *
 * INVARIANT: all look at the same unchanged mailbox; where a mirror cannot answer, nothing is measured.
 */

import { notStrictEqual } from 'node:assert'
import { systemClock } from '../src/adapters/clock/system-clock.ts'
import { createImapSource } from '../src/adapters/imap/source.ts'
import { fileLocks } from '../src/adapters/lock/file-locks.ts'
import { createContentReader } from '../src/adapters/mime/reader.ts'
import { createMirrorStore } from '../src/adapters/mirror/store.ts'
import { databaseFiles } from '../src/adapters/sqlite/database-files.ts'
import { fixedPassword } from '../src/engine/credentials/fixed-password.ts'
import { AccountSync } from '../src/engine/sync/sync-account.ts'
import { startProxy } from '../test/dovecot/proxy.ts'
import { silentLog } from '../test/dovecot/silent-log.ts'
import { median } from './figures.ts'
import { mbsync } from './mbsync.ts'
import { rawSession } from './mirror-server.ts'
import { mirrorIn, posternSync } from './postern-sync.ts'
import type { RawImap } from './raw-imap.ts'
import type { Login } from './servers.ts'

export const LINE_MS = 50
const NEAR_ROUNDS = 30
const FAR_ROUNDS = 5
/** Of programs that are started each time. */
const PROCESS_ROUNDS = 5

/** One way of looking; `here` on connections that are open, `anew` from nothing, `tls` from nothing over TLS. */
export const LOOKS = [
  ...(['rawHere', 'rawAnew', 'rawTls'] as const),
  ...(['posternHere', 'posternAnew', 'posternTls', 'posternProcess', 'mbsync'] as const),
]
export type Looking = (typeof LOOKS)[number]

export interface Look {
  readonly near: number
  readonly far: number
  readonly trips: number
}

export type Looks = Partial<Record<Looking, Look>>

interface Side {
  readonly looks: Partial<Record<Looking, () => Promise<unknown>>>
  close(): Promise<void>
}

/** `home` holds a mirror that is complete, `pulled` what mbsync pulled, where there is one. */
export async function unchanged(login: Login, home: string, pulled: string | undefined): Promise<Looks> {
  const near = await timed(login, home, pulled, () => NEAR_ROUNDS)
  const line = await startLine(login)
  try {
    const trips = await counted(line.login, home, pulled, () => {
      const before = line.roundTrips()
      return () => line.roundTrips() - before
    })
    line.delay(LINE_MS / 2)
    const far = await timed(line.login, home, pulled, () => FAR_ROUNDS)
    line.delay(0)
    const all = LOOKS.flatMap((name) => {
      const [one, other, third] = [near.get(name), far.get(name), trips.get(name)]
      if (one === undefined || other === undefined || third === undefined) return []
      return [[name, { near: one, far: other, trips: third }] as const]
    })
    return Object.fromEntries(all)
  } finally {
    await line.stop()
  }
}

/** The same server at the end of a line, in cleartext and over TLS. */
async function startLine(login: Login) {
  const plain = await startProxy(login.port)
  const secure = login.tlsPort === undefined ? undefined : await startProxy(login.tlsPort)
  return {
    login: { ...login, port: plain.port, ...(secure && { tlsPort: secure.port }) },
    roundTrips: () => plain.roundTrips() + (secure?.roundTrips() ?? 0),
    delay: (oneWayMs: number) => {
      plain.delay(oneWayMs)
      secure?.delay(oneWayMs)
    },
    stop: async () => {
      await plain.stop()
      await secure?.stop()
    },
  }
}

type Figures = ReadonlyMap<Looking, number>

async function timed(login: Login, home: string, pulled: string | undefined, rounds: () => number): Promise<Figures> {
  return each(login, home, pulled, async (name, look) => {
    const samples: number[] = []
    const isProcess = name === 'mbsync' || name === 'posternProcess'
    for (let round = isProcess ? 0 : -2; round < (isProcess ? PROCESS_ROUNDS : rounds()); round += 1) {
      const began = performance.now()
      await look()
      if (round >= 0) samples.push(performance.now() - began)
    }
    return median(samples)
  })
}

async function counted(
  login: Login,
  home: string,
  pulled: string | undefined,
  start: () => () => number,
): Promise<Figures> {
  return each(login, home, pulled, async (_name, look) => {
    await look()
    const trips = start()
    await look()
    return trips()
  })
}

async function each(
  login: Login,
  home: string,
  pulled: string | undefined,
  measure: (name: Looking, look: () => Promise<unknown>) => Promise<number>,
): Promise<Figures> {
  const side = await open(login, home, pulled)
  try {
    const figures = new Map<Looking, number>()
    for (const name of LOOKS) {
      const look = side.looks[name]
      if (look !== undefined) figures.set(name, await measure(name, look))
    }
    return figures
  } finally {
    await side.close()
  }
}

async function open(login: Login, home: string, pulled: string | undefined): Promise<Side> {
  const ours = warmPostern(login, home)
  const raw = await rawSession(login)
  const state = await ours.state()
  await raw.command('ENABLE QRESYNC')
  const again = pulled === undefined ? undefined : mbsync(pulled, login, false)
  const secure = login.tlsPort === undefined ? undefined : { ...login, port: login.tlsPort }
  const rawAnew = async (at: Login, isSecure: boolean): Promise<void> => {
    const fresh = await rawSession(at, isSecure)
    await fresh.command('ENABLE QRESYNC')
    await select(fresh, state)
    fresh.close()
  }
  const posternAnew = async (at: Login, isSecure: boolean): Promise<void> => {
    const fresh = warmPostern(at, home, isSecure)
    await fresh.freshen()
    // Letting go is no part of an answer, but takes next to nothing.
    await fresh.close()
  }
  return {
    looks: {
      rawHere: () => select(raw, state),
      rawAnew: () => rawAnew(login, false),
      posternHere: () => ours.freshen(),
      posternAnew: () => posternAnew(login, false),
      ...(secure && { rawTls: () => rawAnew(secure, true), posternTls: () => posternAnew(secure, true) }),
      posternProcess: () => posternSync(home, login, 'full'),
      ...(again && { mbsync: () => again.pull() }),
    },
    close: async () => {
      raw.close()
      await ours.close()
    },
  }
}

/** The one question that brings everything that has happened. */
async function select(raw: RawImap, { uidvalidity, modseq }: { uidvalidity: number; modseq?: string }): Promise<void> {
  await raw.command(`SELECT INBOX (QRESYNC (${uidvalidity} ${modseq ?? '1'}))`)
}

function warmPostern({ port, user, password }: Login, home: string, secure = false) {
  const account = { account: 'bench', host: '127.0.0.1', port, tls: secure ? 'implicit' : 'none', user } as const
  const source = createImapSource({ ...account, access: fixedPassword(password) }, silentLog)
  const store = createMirrorStore({
    path: mirrorIn(home),
    clock: systemClock,
    locks: fileLocks,
    databases: databaseFiles,
  })
  const content = createContentReader(silentLog)
  const parts = { content, store, depth: 'full', clock: systemClock, log: silentLog, feed: source } as const
  const sync = new AccountSync({ ...parts, account: { id: 'bench', source } })
  return {
    state: async () => {
      const folder = await store.folder('INBOX')
      if (folder === undefined) throw new Error('there is no mirror')
      return folder.state
    },
    freshen: async () => notStrictEqual(await sync.freshen('INBOX', new AbortController().signal), undefined),
    close: async () => {
      await Promise.all([source.close(), content.close(), store.close()])
    },
  }
}
