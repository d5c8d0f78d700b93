/** The short form of `npm run assurance -- --only kills`: whatever is killed, whenever, no message is lost and none is doubled. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Draft, type Lanes, openLanes } from './lanes.ts'
import {
  atMark,
  atPoint,
  atRandom,
  nthOf,
  type Overheard,
  overhear,
  randomFrom,
  twiceAtMarks,
  withHeir,
} from './matrix.ts'
import type { Side } from './plan.ts'

const SEED = 20_240_229

let lanes: Lanes
let one: Overheard
let many: Overheard

beforeAll(async () => {
  lanes = await openLanes(3)
  one = await overhear(lanes, 'move', 1)
  many = await overhear(lanes, 'move', 3)
})
afterAll(() => lanes.close())

async function expectNoFault(drafts: readonly Draft[]): Promise<void> {
  const endings = await lanes.play(drafts)
  const faulty = endings.filter(({ faults }) => faults.length > 0)
  expect(faulty.map(({ plan, at, faults }) => ({ plan, at, faults }))).toEqual([])
  expect(endings.every(({ looks }) => looks > 0)).toBe(true)
}

test('killed around each note in the journal', async () => {
  const steps = [2, 3, 4].map((nth) => nthOf(one.marks, 'after journal.record', nth))
  const sent = nthOf(one.marks, 'before journal.record', 2)
  const removed = nthOf(many.marks, 'before journal.record', 3)
  await expectNoFault([
    withHeir('move', 3, many),
    ...[...steps, sent].map((mark) => atMark('move', 1, mark)),
    atMark('move', 3, removed),
    ...twiceAtMarks('copy', one, [5]),
  ])
})

test('killed in the middle of a dialogue', async () => {
  const nth = (side: Side, words: string): number => many.said[side].findIndex((passed) => passed.words === words)
  const append = nth('destination', 'APPEND')
  await expectNoFault([
    ...(['inside', 'sent', 'answered', 'late'] as const).map((place) =>
      atPoint('move', 3, 'destination', append + 1, place),
    ),
    atPoint('move', 3, 'source', nth('source', 'UID STORE'), 'answered'),
    atPoint('move', 3, 'source', nth('source', 'UID EXPUNGE'), 'answered'),
  ])
})

test('killed at random moments', async () => {
  await expectNoFault(atRandom(10, many.ms, randomFrom(SEED)))
})
