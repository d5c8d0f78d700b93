/**
 * One round: some messages, a move or a copy of them, a blow in the middle, and what is left when all has settled.
 *
 * INVARIANT: every process is killed, never asked to end. What is found wrong is returned, not thrown.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { StdioClient } from '../../bench/stdio-client.ts'
import { type EngineEnd, runEngine } from './engine-order.ts'
import { messagesOf, sightingOf } from './mail.ts'
import { FROM, passwordOf, TO } from './mailboxes.ts'
import type { Place } from './place.ts'
import type { Ending, Plan, Setting } from './plan.ts'
import { judge } from './verdict.ts'

const PATIENCE_MS = 60_000

export async function playRound(plan: Plan, setting: Setting): Promise<Ending> {
  const { place, journal } = setting
  const messages = messagesOf(plan.number, plan.count)
  const uids = await place.owners.source.seed(FROM.mailbox, messages)
  const expected = messages.map(sightingOf)
  const before = journal.count()
  const watch = place.onlooker.watch(expected)
  const { askedMs, ...blow } = await strike(plan, uids, setting)
  const said = { source: place.proxies.source.passed(), destination: place.proxies.destination.passed() }
  const at = stateOf(journal.after(before).map(({ status }) => status))
  const survivors = await recover(plan, uids, setting)
  const unsettled = await journal.settled(PATIENCE_MS)
  await Promise.all(Object.values(place.proxies).map((proxy) => proxy.late()))
  const { looks, missing } = await watch.stop()
  const faults = await judge({ plan, expected, unsettled, missing, transfers: journal.after(before) }, setting)
  for (const survivor of survivors) await survivor.stop()
  await clean(place)
  return { plan, ...blow, said, at, looks, askedMs, faults }
}

function stateOf(statuses: readonly string[]): string {
  const counts = [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => `${all.length} ${status}`)
  return counts.length === 0 ? 'not begun' : counts.join(', ')
}

interface Struck {
  readonly struck: boolean
  readonly marks: readonly string[]
  readonly askedMs: number
}

async function strike(plan: Plan, uids: readonly number[], setting: Setting): Promise<Struck> {
  const { blow } = plan
  if (blow.kind === 'mark') return strikeEngine(plan, blow.mark, blow.second, uids, setting)
  const { place, dataDir } = setting
  const program = await place.startProgram(dataDir)
  if (blow.kind === 'moment') await logIn(program)
  let struck = false
  const kill = (): void => {
    struck = true
    process.kill(program.pid, 'SIGKILL')
  }
  for (const [side, proxy] of Object.entries(place.proxies)) {
    proxy.arm(blow.kind === 'dialogue' && blow.side === side ? blow.point : undefined, kill)
  }
  const began = performance.now()
  const asked = ask(program, plan, uids).then(
    () => 'answered',
    () => 'dead',
  )
  if (
    blow.kind === 'moment' &&
    blow.ms !== undefined &&
    (await Promise.race([delay(blow.ms, 'alive'), asked])) === 'alive'
  )
    kill()
  await asked
  const askedMs = performance.now() - began
  await program.stop()
  return { struck, marks: [], askedMs }
}

async function logIn(program: StdioClient): Promise<void> {
  await Promise.all([FROM, TO].map(({ user }) => program.call('list_folders', { account: user })))
}

async function strikeEngine(
  { operation }: Plan,
  mark: number | undefined,
  second: number | undefined,
  uids: readonly number[],
  { place, dataDir }: Setting,
): Promise<Struck> {
  const opened = await place.owners.source.imap.mailboxOpen(FROM.mailbox)
  const from = { account: FROM.user, mailbox: FROM.mailbox, uidvalidity: Number(opened.uidValidity) }
  const order = { operation, from, uids, to: { account: TO.user, mailbox: TO.mailbox } }
  const accounts = [
    { id: FROM.user, port: place.proxies.source.port, password: passwordOf(FROM.user) },
    { id: TO.user, port: place.proxies.destination.port, password: passwordOf(TO.user) },
  ]
  const common = { dataDir, accounts }
  const markOf = (number: number | undefined): object => (number === undefined ? {} : { mark: number })
  let end: EngineEnd = await runEngine({ ...common, work: { kind: 'carry', order }, ...markOf(mark) })
  if (second !== undefined) end = await runEngine({ ...common, work: { kind: 'resume' }, mark: second })
  return { struck: end.kind === 'killed', marks: end.kind === 'done' ? end.marks : [], askedMs: 0 }
}

async function recover(plan: Plan, uids: readonly number[], setting: Setting): Promise<readonly StdioClient[]> {
  const { place, dataDir } = setting
  if (plan.recovery === 'two') return Promise.all([place.startProgram(dataDir), place.startProgram(dataDir)])
  const program = await place.startProgram(dataDir)
  if (plan.recovery === 'heir') return [await heirOf(program, setting)]
  if (plan.recovery === 'again') await ask(program, plan, uids)
  return [program]
}

/** Long enough to find out that somebody else is at work. */
const STANDING_BY_MS = 1000

async function heirOf(first: StdioClient, { place, dataDir, journal }: Setting): Promise<StdioClient> {
  while (!journal.owners().includes(first.pid)) await delay(20)
  const heir = await place.startProgram(dataDir)
  await delay(STANDING_BY_MS)
  if (!journal.owners().includes(first.pid)) throw new Error('the first one was done before it could be killed')
  await first.stop()
  return heir
}

function ask(program: StdioClient, { operation, count }: Plan, uids: readonly number[]): Promise<unknown> {
  const which = count === 1 ? { uid: uids[0] } : { uids }
  const source = { account: FROM.user, folder: FROM.mailbox, ...which }
  return program.call(operation, { source, target: { account: TO.user, folder: TO.mailbox } })
}

async function clean({ owners }: Place): Promise<void> {
  for (const [owner, { mailbox }] of [
    [owners.source, FROM],
    [owners.destination, TO],
  ] as const) {
    const { exists } = await owner.imap.mailboxOpen(mailbox)
    if (exists > 0) await owner.imap.messageDelete('1:*')
  }
}
