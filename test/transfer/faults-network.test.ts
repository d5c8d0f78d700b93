/** The network fails at each command of the dialogue, on either side: nothing is lost, nothing doubled, all is carried. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atEachCommand, type Dialogues, EVERY, healthyDialogues } from './at-each-command.ts'
import type { Fault } from './fault-proxy.ts'
import { type CaseOptions, type Scene, startScene } from './scene.ts'

/** Beyond this a stalled server is given up. */
const SILENCE_MS = 400
const LONG = { timeout: 300_000 }

let scene: Scene
let dialogues: Dialogues

beforeAll(async () => {
  scene = await startScene()
  dialogues = await healthyDialogues(scene)
})
afterAll(() => scene.close())

const NETWORK: readonly (readonly [string, Fault, CaseOptions])[] = [
  ['a connection reset', { kind: 'reset' }, {}],
  ['a connection reset and three refused', { kind: 'refuse', connections: 3 }, {}],
  ['a server that stalls before it hears', { kind: 'stall' }, { silenceMs: SILENCE_MS }],
  ['a server that stalls after it heard', { kind: 'mute' }, { silenceMs: SILENCE_MS }],
  ['an answer lost', { kind: 'lose' }, {}],
  ['a connection cut inside a literal', { kind: 'cut' }, {}],
]

describe.each(NETWORK)('%s', (_name, fault, options) => {
  test.each(EVERY)('%s, at each command of the %s', LONG, async (operation, side) => {
    const way = { operation, side, fault, options: { retryLimit: 8, ...options, twins: 1 } }
    const told = await atEachCommand(scene, dialogues, way)
    expect(told.filter((line) => !line.endsWith(': committed'))).toEqual([])
    expect(told.length).toBeGreaterThan(2)
  })
})
