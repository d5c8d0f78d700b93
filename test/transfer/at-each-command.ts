/** One case for each command of a healthy dialogue, disturbed at that command. */
import { expect } from 'vitest'
import type { Operation, Transfer } from '../../src/core/transfer/transfer.ts'
import type { Fault, Heard } from './fault-proxy.ts'
import { type Case, type CaseOptions, type Scene, SIDES, type Side } from './scene.ts'

const AT_ONCE = 6
const OPERATIONS: readonly Operation[] = ['move', 'copy']

export const EVERY = OPERATIONS.flatMap((operation) => SIDES.map((side) => [operation, side] as const))

/** What is said before anything is asked for matters to nobody but the library that says it. */
const SMALL_TALK = new Set(['ID', 'NAMESPACE'])

export type Dialogues = Readonly<Record<Operation, Readonly<Record<Side, readonly string[]>>>>

export async function healthyDialogues(scene: Scene): Promise<Dialogues> {
  return { move: await healthyDialogue(scene, 'move'), copy: await healthyDialogue(scene, 'copy') }
}

async function healthyDialogue(scene: Scene, operation: Operation): Promise<Record<Side, readonly string[]>> {
  const one = await scene.open()
  const ended = await one.ends(await one.go(operation))
  expect(ended).toMatchObject([{ status: 'committed', retryCount: 0 }])
  await one.check(ended)
  const heard = { source: [...one.proxies.source.heard()], destination: [...one.proxies.destination.heard()] }
  await one.close()
  return heard
}

export interface Way {
  readonly operation: Operation
  readonly side: Side
  readonly fault: Fault
  /** How often it happens; once when absent. */
  readonly times?: number
  readonly options?: CaseOptions
}

/** One case for each command of the dialogue on that side. Tells how each of them ended. */
export async function atEachCommand(scene: Scene, dialogues: Dialogues, way: Way): Promise<readonly string[]> {
  const commands = [...dialogues[way.operation][way.side].entries()].filter(([, name]) => !SMALL_TALK.has(name))
  const told: string[] = []
  const waiting = [...commands.entries()]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, [index, name]] = next
      told[place] = `${name}: ${await disturbed(scene, way, { index, name }).catch(String)}`
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return told
}

async function disturbed(
  scene: Scene,
  { operation, side, fault, times = 1, options = {} }: Way,
  { index, name }: Heard,
) {
  const one = await scene.open(options)
  try {
    one.proxies[side].plan({ at: (heard) => heard.index >= index && heard.name === name, fault, times })
    const ended = await one.ends(await one.go(operation))
    expect(one.proxies[side].struck()).toBeGreaterThan(0)
    await one.check(ended)
    await mended(one, side, ended)
    return ended.map(({ status, lastError }) => (status === 'committed' ? status : `${status}, ${lastError}`)).join()
  } finally {
    await one.close()
  }
}

/** Once the fault is gone, a person's word is all that it takes. */
async function mended(one: Case, side: Side, ended: readonly Transfer[]): Promise<void> {
  one.proxies[side].plan()
  for (const { txId, status } of ended) {
    if (status !== 'needs_operator') continue
    const after = await one.transfers.retry(txId)
    expect(after.status).toBe('committed')
    await one.check([after])
  }
}
