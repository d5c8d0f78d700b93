/** A moment at which all is as it is now, told from the keys of messages. */
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KEY, keyHigh, keyLow } from '../sql/key-sql.ts'
import { settledMoment } from './settled-moment.ts'

const LAST = 2 ** 32 - 1
const EDGES = [-(2 ** 40), -100, -1, 0, 1, 2, 100, 1e9, LAST - 2, LAST - 1, LAST, LAST + 1, LAST + 2, 2 ** 40]
/** Close to each other, so that most are about as old as some age. */
const near = (moments: readonly number[]): fc.Arbitrary<number> =>
  fc.tuple(fc.constantFrom(...moments), fc.integer({ min: -4, max: 4 })).map(([moment, off]) => moment + off)
const received = fc.array(near(EDGES), { maxLength: 12 })
const ages = fc.uniqueArray(fc.oneof(near([4, 100, 1e9]), fc.constantFrom(0, 0.5, 2 ** 33)), {
  minLength: 1,
  maxLength: 4,
})

test('every message is newer and older than the same ages as now, at a moment that is not later', () => {
  const sqlite = new Sqlite(':memory:')
  sqlite.exec('create table message (key integer primary key, received integer not null) strict')
  const add = sqlite.prepare(`insert or ignore into message values (${KEY}, ?)`)
  const db = { all: <Row>(sql: string, ...values: unknown[]) => sqlite.prepare<unknown[], Row>(sql).all(...values) }
  const asks = fc.array(fc.tuple(near([...EDGES, 1e9 + 100, 2e9]), fc.constantFrom(0, 0, 0, 0.5)), { minLength: 5 })
  fc.assert(
    fc.property(received, ages, asks, (moments, asked, times) => {
      sqlite.exec('delete from message')
      for (const [uid, moment] of moments.entries()) add.run(keyHigh(moment), keyLow(uid, 1), moment)
      for (const now of times.map(([moment, off]) => moment + off)) {
        const then = settledMoment(db, asked, now)
        expect(then).toBeLessThanOrEqual(now)
        const seen = (at: number): boolean[] =>
          moments.flatMap((moment) => asked.flatMap((age) => [at - moment < age, at - moment > age]))
        expect(seen(then)).toEqual(seen(now))
      }
    }),
    { numRuns: 500 },
  )
  sqlite.close()
})

test('seconds that change nothing do not move it', () => {
  const sqlite = new Sqlite(':memory:')
  sqlite.exec('create table message (key integer primary key, received integer not null) strict')
  for (const [uid, moment] of [1000, 2000].entries()) {
    sqlite.prepare(`insert into message values (${KEY}, ?)`).run(keyHigh(moment), keyLow(uid, 1), moment)
  }
  const db = { all: <Row>(sql: string, ...values: unknown[]) => sqlite.prepare<unknown[], Row>(sql).all(...values) }
  const settled = (from: number, to: number): Set<number> =>
    new Set(Array.from({ length: to - from }, (_, at) => settledMoment(db, [300, 500], from + at)))
  expect(settled(600, 1300)).toEqual(new Set([0]))
  expect(settled(1302, 1500)).toEqual(new Set([1301]))
  expect(settled(1502, 2300)).toEqual(new Set([1501]))
  expect(settled(2502, 3000)).toEqual(new Set([2501]))
  sqlite.close()
})
