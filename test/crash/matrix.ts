/** Every place where a blow can fall, found by playing rounds in which none does. */
import type { Draft, Lanes } from './lanes.ts'
import type { Ending, Plan, Side } from './plan.ts'
import type { Passed, Place } from './proxy.ts'

type Operation = Plan['operation']

export interface Overheard {
  readonly said: Ending['said']
  readonly marks: readonly string[]
  /** How long it takes somebody who is logged in already. */
  readonly ms: number
}

/** A program and an engine that nobody disturbs. */
export async function overhear(lanes: Lanes, operation: Operation, count: number): Promise<Overheard> {
  const [program, engine, ready] = await lanes.play([
    { operation, count, recovery: 'one', blow: { kind: 'dialogue', side: 'source', point: undefined } },
    { operation, count, recovery: 'one', blow: { kind: 'mark', mark: undefined } },
    { operation, count, recovery: 'one', blow: { kind: 'moment', ms: undefined } },
  ])
  if (program === undefined || engine === undefined || ready === undefined) throw new Error('every round has an ending')
  const faults = [...program.faults, ...engine.faults, ...ready.faults]
  if (faults.length > 0) throw new Error(`without any blow: ${faults.join('; ')}`)
  return { said: program.said, marks: engine.marks, ms: ready.askedMs }
}

export function atEveryPoint(operation: Operation, count: number, { said }: Overheard): readonly Draft[] {
  return (['source', 'destination'] as const).flatMap((side) =>
    said[side].flatMap((passed, command) =>
      placesOf(passed).map((place) => atPoint(operation, count, side, command, place)),
    ),
  )
}

export function atPoint(operation: Operation, count: number, side: Side, command: number, place: Place): Draft {
  return { operation, count, recovery: 'one', blow: { kind: 'dialogue', side, point: { command, place } } }
}

function placesOf({ literal }: Passed): readonly Place[] {
  return literal ? ['before', 'inside', 'sent', 'answered', 'late'] : ['before', 'sent', 'answered']
}

export function atEveryMark(operation: Operation, count: number, { marks }: Overheard): readonly Draft[] {
  return marks.map((_, mark) => atMark(operation, count, mark))
}

export function atMark(operation: Operation, count: number, mark: number, second?: number): Draft {
  const blow = { kind: 'mark', mark, ...(second !== undefined && { second }) } as const
  return { operation, count, recovery: 'one', blow }
}

/** The first blow between the message's arrival and the note of it, the second wherever the next process is by then. */
export function twiceAtMarks(operation: Operation, { marks }: Overheard, seconds: readonly number[]): readonly Draft[] {
  const first = nthOf(marks, 'before journal.record', 2)
  return seconds.map((second) => atMark(operation, 1, first, second))
}

/** The blow before anything was sent; whoever comes next is killed while it waits for what might still arrive. */
export function withHeir(operation: Operation, count: number, { marks }: Overheard): Draft {
  return { ...atMark(operation, count, nthOf(marks, 'after journal.record', 1)), recovery: 'heir' }
}

export function nthOf(marks: readonly string[], name: string, nth: number): number {
  const places = marks.flatMap((mark, index) => (mark === name ? [index] : []))
  const place = places[nth]
  if (place === undefined) throw new Error(`there is no mark ${name} number ${nth}`)
  return place
}

/** One after another, the three ways in which somebody comes afterwards, and moves more often than copies. */
export function atRandom(count: number, ms: number, random: () => number): readonly Draft[] {
  const recoveries = ['one', 'two', 'again'] as const
  return Array.from({ length: count }, (_, index) => ({
    operation: index % 4 === 3 ? 'copy' : 'move',
    count: 5,
    recovery: index % 4 === 3 ? 'one' : (recoveries[index % 3] ?? 'one'),
    blow: { kind: 'moment', ms: random() * ms },
  }))
}

/** The same numbers for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
