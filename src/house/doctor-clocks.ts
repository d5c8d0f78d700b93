/** What time it is elsewhere: by the answers of providers, and by the newest mail. */
import { systemClock } from '../adapters/clock/system-clock.ts'
import { dateOf } from '../adapters/machine/http-date.ts'
import { readOAuthClient } from '../config/oauth.ts'
import { Failure } from '../core/failure.ts'
import type { Account } from '../engine/accounts/accounts.ts'
import type { OtherClock, Server } from '../engine/doctor/world.ts'
import type { DoctorParts } from './doctor.ts'
import type { Found } from './doctor-configuration.ts'

const ANSWER_MS = 5000

export async function otherClocks(
  found: Found,
  servers: readonly Server[],
  parts: DoctorParts,
  signal: AbortSignal,
): Promise<readonly OtherClock[]> {
  const urls = [...new Set(urlsOf(found, parts))]
  const reading = servers.filter(({ protocol }) => protocol === 'imap')
  const clocks = await Promise.all([
    ...urls.map((url) => clockOf(url, signal)),
    ...reading.map((server) => newestMail(server, found, signal)),
  ])
  return clocks.filter((clock) => clock !== undefined)
}

/** Addresses that are asked for tokens or mail anyhow. */
function urlsOf({ tree }: Found, { env }: DoctorParts): readonly string[] {
  return (tree?.accounts ?? []).flatMap((account) => {
    if (account.auth?.type !== 'xoauth2') return []
    try {
      const { tokenUrl, issuer } = readOAuthClient(env, account)
      const url = tokenUrl ?? issuer
      return url === undefined ? [] : [url]
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return []
    }
  })
}

async function clockOf(url: string, signal: AbortSignal): Promise<OtherClock | undefined> {
  const theirs = await dateOf(url, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]))
  if (theirs === undefined) return undefined
  return { whose: URL.parse(url)?.host ?? 'the provider', aheadMs: theirs - systemClock.now(), isPast: false }
}

/** A server notes when it received a message, by its own clock: not after now. */
async function newestMail(server: Server, { accounts }: Found, signal: AbortSignal): Promise<OtherClock | undefined> {
  const account = accounts.find(({ id }) => id === server.account)
  if (account === undefined) return undefined
  try {
    if ((await server.line(signal)).kind !== 'open' || !(await server.isReady())) return undefined
    await server.logIn(signal)
    const received = await newestIn(account, signal)
    if (received === undefined) return undefined
    return { whose: server.account, aheadMs: received * 1000 - systemClock.now(), isPast: true }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Why the server cannot be asked is told elsewhere.
    return undefined
  }
}

async function newestIn({ source }: Account, signal: AbortSignal): Promise<number | undefined> {
  const { uids, uidvalidity } = await source.find('INBOX', { criteria: {}, take: 1 }, signal)
  if (uids.length === 0) return undefined
  const wanted = { fields: [], structure: false }
  const [newest] = await source.traits({ mailbox: 'INBOX', uidvalidity }, uids, wanted, signal)
  return newest?.received
}
