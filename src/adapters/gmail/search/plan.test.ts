import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Criteria } from '../../../core/criteria.ts'
import { planOf } from './plan.ts'

const plan = (criteria: Criteria) => planOf({ criteria })

describe('a plan', () => {
  test('asks for everything where nothing is asked', () => {
    expect(plan({})).toMatchObject({ query: '', labels: [], everything: true, nothing: false, texts: [] })
  })

  test.each<[Criteria, string]>([
    [{ subject: 'Annual Report' }, 'subject:"annual report"'],
    [{ from: 'bob@example.com' }, 'from:"bob example com"'],
    [{ text: 'x OR y' }, '"x or y"'],
    [{ flagged: false }, '-(is:starred)'],
    [{ larger: 1000 }, 'larger:999'],
    [{ smaller: 1000 }, 'smaller:1001'],
    [{ text: '***' }, ''],
    [{ text: '東京' }, ''],
  ])('says %j as %j', (criteria, query) => {
    expect(plan(criteria).query).toBe(query)
    expect(plan(criteria).everything).toBe(false)
  })

  test('finds a Message-ID with its brackets, and never everything instead', () => {
    const key = { kind: 'header', name: 'Message-ID', contains: '<a.b-c@example.com>' } as const
    expect(planOf({ criteria: {}, key })).toMatchObject({ query: 'rfc822msgid:a.b-c@example.com', everything: false })
  })

  test('leaves words to Gmail, and looks itself where there is more than words', () => {
    expect(plan({ subject: 'annual report' }).texts).toEqual([])
    expect(plan({ from: 'bob@example.com' }).texts).toEqual([{ field: 'from', contains: 'bob@example.com' }])
    expect(plan({ text: '東京' }).texts).toEqual([{ field: 'text', contains: '東京' }])
    expect(plan({ text: '***' })).toMatchObject({ everything: false, texts: [{ field: 'text', contains: '***' }] })
  })

  test('knows what cannot be', () => {
    expect(plan({ smaller: 0 }).nothing).toBe(true)
    expect(plan({ since: '2024-01-03', until: '2024-01-02' }).nothing).toBe(true)
    expect(planOf({ criteria: {}, key: { kind: 'none' } }).nothing).toBe(true)
    expect(plan({ since: '2024-01-02', until: '2024-01-02' }).nothing).toBe(false)
  })

  test('nothing that a caller writes stands outside quotes', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((written) => !/\p{Cc}/u.test(written))
    fc.assert(
      fc.property(text, text, (subject, anywhere) => {
        const { query } = plan({ subject, text: anywhere })
        expect(query.replaceAll(/"[\p{L}\p{N}\p{M} ]+"/gu, '')).toMatch(/^(?: |subject:)*$/)
      }),
    )
  })
})
