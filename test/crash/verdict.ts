/** What is wrong after a round: lost, doubled, changed, stuck, left behind, or a record that does not hold. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import type { TransferSeen } from './journal-reader.ts'
import type { Sighting } from './mail.ts'
import type { Plan, Setting } from './plan.ts'

export interface Evidence {
  readonly plan: Plan
  readonly expected: readonly Sighting[]
  readonly unsettled: readonly TransferSeen[]
  /** Hashes of messages that were in neither mailbox at some moment. */
  readonly missing: readonly string[]
  /** Those of this round. */
  readonly transfers: readonly TransferSeen[]
}

export async function judge(evidence: Evidence, { place, dataDir }: Setting): Promise<readonly string[]> {
  const { plan, expected, unsettled, missing, transfers } = evidence
  const { source, destination } = await place.onlooker.look()
  const arrived = transfers.length > 0
  return [
    ...missing.map((hash) => `lost for a moment: ${hash.slice(0, 8)}`),
    ...unsettled.map(({ status }) => `not settled: ${status}`),
    ...stuck(plan, transfers),
    ...differences('source', plan.operation === 'move' && arrived ? [] : expected, source),
    ...differences('destination', arrived ? expected : [], destination),
    ...untold(transfers, dataDir),
    ...(await leftInSpool(dataDir)),
    ...(await brokenRecord(dataDir)),
  ]
}

/** Nothing but the kills went wrong, so nothing may have been given up. An agent that asks twice may be turned away. */
function stuck({ count, recovery }: Plan, transfers: readonly TransferSeen[]): readonly string[] {
  const committed = transfers.filter(({ status }) => status === 'committed').length
  if (recovery !== 'again' && transfers.length !== 0 && transfers.length !== count)
    return [`${transfers.length} transfers of ${count} messages`]
  return transfers
    .filter(
      ({ status, operation }) =>
        status === 'needs_operator' || (status === 'aborted' && committed < count) || operation === '',
    )
    .map(({ status, last_error }) => `${status}: ${last_error}`)
}

function differences(where: string, wanted: readonly Sighting[], found: readonly Sighting[]): readonly string[] {
  const there = found.map(nameOf)
  const absent = wanted.map(nameOf).filter((name) => {
    const index = there.indexOf(name)
    if (index >= 0) there.splice(index, 1)
    return index < 0
  })
  return [...absent.map((name) => `not in ${where}: ${name}`), ...there.map((name) => `too much in ${where}: ${name}`)]
}

function nameOf({ hash, flags, received }: Sighting): string {
  return `${hash.slice(0, 8)} ${received} ${flags.join(' ')}`
}

/** Each end of a transfer is on record. */
function untold(transfers: readonly TransferSeen[], dataDir: string): readonly string[] {
  const directory = join(dataDir, 'audit')
  const days = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.jsonl')) : []
  const lines = days.flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
  const told = new Set(
    lines.flatMap((line) => {
      const { tool, tx_id, reason } = line === '' ? {} : JSON.parse(line)
      return tool === 'saga_transition' ? [`${tx_id} ${reason}`] : []
    }),
  )
  return transfers
    .filter(({ tx_id, status }) => !told.has(`${tx_id} ${status}`))
    .map(({ status }) => `not on record: ${status}`)
}

/** The files go right after the last step is in the journal. */
const SPOOL_MS = 5000

async function leftInSpool(dataDir: string): Promise<readonly string[]> {
  const spool = join(dataDir, 'spool')
  const list = (): readonly string[] => (existsSync(spool) ? readdirSync(spool) : [])
  for (const until = performance.now() + SPOOL_MS; list().length > 0 && performance.now() < until; ) await delay(50)
  // A draft may be somebody's who is writing it; those go when they are old.
  const left = list().filter((name) => !name.endsWith('.tmp'))
  return left.length === 0 ? [] : [`${left.length} files left in the spool`]
}

async function brokenRecord(dataDir: string): Promise<readonly string[]> {
  const directory = join(dataDir, 'audit')
  // Killed before there was anything to record.
  if (!existsSync(directory)) return []
  const { kind } = await verifyAuditDirectory(directory, { keyDirectory: dataDir })
  return kind === 'intact' ? [] : [`the record is ${kind}`]
}
