/**
 * A server says no to each command of the dialogue, on either side: nothing is lost and nothing doubled, and what needs a
 * person gets to its end once the server agrees.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atEachCommand, type Dialogues, EVERY, healthyDialogues } from './at-each-command.ts'
import { type Scene, type Side, startScene } from './scene.ts'

const LONG = { timeout: 300_000 }

let scene: Scene
let dialogues: Dialogues

beforeAll(async () => {
  scene = await startScene()
  dialogues = await healthyDialogues(scene)
})
afterAll(() => scene.close())

const ABORTED = ['aborted', 'aborted']

/** How it ends where each command is refused: the login, what comes before the message is sent, and what comes after. */
function endings(side: Side, later: 'committed' | 'needs_operator', now: readonly string[]): readonly string[] {
  // The original is looked at in a mailbox opened anew, then marked and removed in one opened for that. That it is gone is
  // looked at too, but it is gone whether or not that can be done.
  const removed = [later, later, later, later, later, 'committed', 'committed']
  return [later, ...now, ...(side === 'source' ? removed : [later, later])]
}

function statuses(told: readonly string[]): readonly string[] {
  return told.map((line) => line.replace(/^[A-Z ]+: /, '').replace(/,.*/, ''))
}

describe.each(['NO not now', 'BAD what', 'NO [OVERQUOTA] full', 'NO [TRYCREATE] none'])('the answer "%s"', (words) => {
  test.each(EVERY)('%s, once, to each command of the %s', LONG, async (operation, side) => {
    const told = await atEachCommand(scene, dialogues, { operation, side, fault: { kind: 'say', words } })
    expect(statuses(told)).toEqual(endings(side, 'committed', ABORTED).slice(0, told.length))
  })
})

test.each(EVERY)('NO again and again: %s, to each command of the %s', LONG, async (operation, side) => {
  const often = { times: 1000, options: { retryLimit: 1 } }
  const way = { operation, side, fault: { kind: 'say', words: 'NO not now' }, ...often } as const
  const told = await atEachCommand(scene, dialogues, way)
  expect(statuses(told)).toEqual(endings(side, 'needs_operator', ABORTED).slice(0, told.length))
})

describe('a server that says it is unavailable', () => {
  const fault = { kind: 'say', words: 'NO [UNAVAILABLE] busy' } as const

  test.each(EVERY)('once: %s, to each command of the %s', LONG, async (operation, side) => {
    const told = await atEachCommand(scene, dialogues, { operation, side, fault })
    expect(new Set(statuses(told))).toEqual(new Set(['committed']))
  })

  test.each(EVERY)('again and again: %s, to each command of the %s', LONG, async (operation, side) => {
    const told = await atEachCommand(scene, dialogues, {
      operation,
      side,
      fault,
      times: 1000,
      options: { retryLimit: 1 },
    })
    const stuck = ABORTED.map(() => 'needs_operator')
    expect(statuses(told)).toEqual(endings(side, 'needs_operator', stuck).slice(0, told.length))
  })
})
