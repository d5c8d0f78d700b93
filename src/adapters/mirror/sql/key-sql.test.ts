/** The key of a message, counted in SQL and here: the one finds what the other has filed. */
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KEY, keyHigh, keyLow, nextKeyLow, placeSql } from './key-sql.ts'

test('a message is filed under the key by which it is looked for', () => {
  const db = new Sqlite(':memory:')
  const filed = db.prepare<number[]>(`select ${KEY}`).pluck().safeIntegers()
  const sought = db
    .prepare<number[]>(`select ${placeSql('?', '?')} | (? & 255)`)
    .pluck()
    .safeIntegers()
  const received = fc.oneof(fc.constantFrom(-1, 0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1e15), fc.integer())
  const uid = fc.oneof(fc.constantFrom(1, 2 ** 23 - 1, 2 ** 23, 2 ** 31, 2 ** 32 - 1), fc.nat())
  fc.assert(
    fc.property(received, uid, fc.nat(1000), (when, its, folder) => {
      expect(filed.get(keyHigh(when), keyLow(its, folder))).toBe(sought.get(when, its, folder))
    }),
  )
  db.close()
})

test('a message whose key is taken gets one of the same second, another one each time', () => {
  const uid = fc.oneof(fc.constantFrom(2 ** 23 - 1, 2 ** 23, 2 ** 23 + 1, 2 ** 32 - 1), fc.nat())
  fc.assert(
    fc.property(uid, fc.constantFrom(0, 1, 254, 255), (its, folder) => {
      const lows = Array.from({ length: 600 }, (_, taken) => nextKeyLow(keyLow(its, folder), taken))
      expect(new Set(lows).size).toBe(lows.length)
      expect(Math.min(...lows)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...lows)).toBeLessThan(2 ** 31)
    }),
  )
})
