import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS, dayOf } from './day.ts'
import { type KeptFile, planRetention } from './retention.ts'

const TODAY = '2026-05-06'
const USUAL = { hotDays: 90, warmDays: 275, deleteAfterDays: 365 }
const daysAgo = (age: number): string => dayOf(Date.parse(TODAY) - age * DAY_MS)

/** Closed files of these ages, the newest being yesterday's, and today's open one. */
function files(...ages: number[]): KeptFile[] {
  const closed = [...ages, 1].map((age) => ({ day: daysAgo(age), compressed: false, closed: true }))
  return [...closed, { day: TODAY, compressed: false, closed: false }]
}

function plan(kept: readonly KeptFile[], today = TODAY, retention = USUAL): { compress: string[]; remove: string[] } {
  const { compress, remove } = planRetention(kept, today, retention)
  return { compress: compress.map(({ day }) => day), remove: remove.map(({ day }) => day) }
}

test('each age has its form', () => {
  expect(plan(files(366, 365, 364, 90, 89))).toEqual({
    remove: [daysAgo(366), daysAgo(365)],
    compress: [daysAgo(364), daysAgo(90)],
  })
})

test('what is compressed is not compressed again', () => {
  const kept = files(100).map((file) => (file.day === daysAgo(100) ? { ...file, compressed: true } : file))
  expect(plan(kept)).toEqual({ compress: [], remove: [] })
})

test('a file is kept for the longer of what is promised', () => {
  const ages = files(400, 350)
  expect(plan(ages, TODAY, { hotDays: 90, warmDays: 400, deleteAfterDays: 365 }).remove).toEqual([])
  expect(plan(ages, TODAY, { hotDays: 9, warmDays: 9, deleteAfterDays: 365 }).remove).toEqual([daysAgo(400)])
})

test("neither today's file nor one that is not closed is touched, and nothing after an unclosed one is deleted", () => {
  const nothing = { hotDays: 0, warmDays: 0, deleteAfterDays: 0 }
  expect(plan([{ day: TODAY, compressed: false, closed: true }], TODAY, nothing)).toEqual({ compress: [], remove: [] })
  const [oldest, ...rest] = files(500, 400)
  if (oldest === undefined) throw new Error('three files')
  expect(plan([{ ...oldest, closed: false }, ...rest])).toEqual({ compress: [daysAgo(400)], remove: [] })
})

test('a clock that jumps years ahead ages nothing until a day has ended there', () => {
  const jumped = { day: '2031-01-01', compressed: false, closed: false }
  const before = files(100).map((file) => ({ ...file, closed: true }))
  expect(plan([...before, jumped], '2031-01-01')).toEqual({ compress: [daysAgo(100)], remove: [] })
  expect(plan([...before, jumped], '2031-01-09')).toEqual({ compress: [daysAgo(100)], remove: [] })
})

test('what is left is always the end of the chain, and the newest file is in it', () => {
  const file = fc.record({ age: fc.nat(900), compressed: fc.boolean(), closed: fc.boolean() })
  const days = fc.nat(500)
  fc.assert(
    fc.property(
      fc.uniqueArray(file, { selector: ({ age }) => age }),
      fc.record({ hotDays: days, warmDays: days, deleteAfterDays: days }),
      (list, retention) => {
        const kept = list
          .toSorted((a, b) => b.age - a.age)
          .map(({ age, compressed, closed }) => ({ day: daysAgo(age), compressed, closed }))
        const { compress, remove } = planRetention(kept, TODAY, retention)
        expect(remove).toEqual(kept.slice(0, remove.length))
        for (const touched of [...compress, ...remove]) {
          expect(touched.closed).toBe(true)
          expect(touched).not.toBe(kept.at(-1))
        }
        expect(compress.filter((one) => remove.includes(one))).toEqual([])
      },
    ),
  )
})
