import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../../core/failure.ts'
import { uidSets } from '../sequence-set.ts'
import { readResponse } from '../wire/response.ts'
import type { StatusResponse } from '../wire/value.ts'
import { listCommand, uidsListed } from './uids-within.ts'

const ALL = { from: 1, to: 0xffff_ffff }

function answered(session: Session, lines: readonly string[], within = ALL): readonly number[] | undefined {
  const responses = lines.map((line) => readResponse({ segments: [line], literals: [] }))
  const answers = responses.filter((response): response is StatusResponse => response.kind === 'status')
  const data = responses.filter((response) => response.kind === 'data' || response.kind === 'numbers')
  return uidsListed(session, { answers, data }, within)
}

interface Session {
  readonly capabilities: ReadonlySet<string>
  ranges: boolean | undefined
}

const able = (): Session => ({ capabilities: new Set(['ESEARCH']), ranges: undefined })
const plain = (): Session => ({ capabilities: new Set(), ranges: undefined })

function listed(line: string, within = ALL): readonly number[] | undefined {
  return answered(able(), [line, 'p6 OK done'], within)
}

test.each([
  ['* SEARCH', []],
  ['* SEARCH 2 7 3 7', [7, 3, 2]],
  ['* ESEARCH (TAG "p6") UID', []],
  ['* ESEARCH (TAG "p6") UID ALL 5', [5]],
  ['* ESEARCH (TAG "p6") UID ALL 2:4,9', [9, 4, 3, 2]],
  ['* ESEARCH (TAG "p6") UID COUNT 4 ALL 9,4:2,3', [9, 4, 3, 2]],
  ['* ESEARCH (TAG "ALL") UID COUNT 0', []],
])('%s names %j', (line, uids) => {
  expect(listed(line)).toEqual(uids)
})

test('only those within count', () => {
  const within = { from: 3, to: 6 }
  expect(listed('* SEARCH 1 2 3 6 7', within)).toEqual([6, 3])
  expect(listed('* ESEARCH (TAG "p6") UID ALL 1:3,6:4294967295', within)).toEqual([6, 3])
  expect(listed('* ESEARCH (TAG "p6") UID ALL 1:9000000', { from: 8_999_999, to: 9_000_000 })).toEqual([9e6, 8_999_999])
})

test('whatever there is, ranges name it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (uids) => {
      expect(listed(`* ESEARCH (TAG "p6") UID ALL ${uidSets(uids).join(',')}`)).toEqual(uids.toSorted((a, b) => b - a))
    }),
  )
})

test.each(['1:4294967295', '1:3000000,5000000:8000000', '0', '1:*', '1:2:3', 'x', '5,', 'NIL', ''])(
  '%s is refused',
  (set) => {
    expect(() => listed(`* ESEARCH (TAG "p6") UID ALL ${set}`)).toThrow(Failure)
  },
)

test('many answers may together claim no more than one', () => {
  const lines = Array.from({ length: 60 }, () => '* ESEARCH (TAG "p6") UID ALL 1:3000000')
  expect(() => answered(able(), [...lines, 'p6 OK done'])).toThrow(Failure)
})

test.each([
  [['p6 OK nothing said']],
  [['p6 BAD what is RETURN']],
  [['* ESEARCH (TAG "p6") UID ALL 1:9', 'p6 NO [EXPUNGEISSUED] not all of it']],
  // Numbers of messages, perhaps.
  [['* ESEARCH (TAG "p6") ALL 1:9', 'p6 OK done']],
  [['* SEARCH 3', '* ESEARCH (TAG "p6") ALL 1:9', 'p6 OK done']],
  [['* ESEARCH (TAG "p6") UID COUNT 9', 'p6 OK done']],
  [['* ESEARCH (TAG "p6") UID MIN 1 MAX 9', 'p6 OK done']],
  [['* VANISHED (ALL) 1:3', 'p6 OK done']],
])('after %j uids are asked for one by one', (lines) => {
  const session = able()
  expect(JSON.stringify(listCommand(session, ALL))).toContain('RETURN')
  expect(answered(session, lines)).toBeUndefined()
  expect(JSON.stringify(listCommand(session, ALL))).not.toContain('RETURN')
  expect(answered(session, ['* SEARCH 4 2', 'p7 OK done'])).toEqual([4, 2])
})

test('one by one, an answer is an answer, and a refusal is none', () => {
  expect(answered(plain(), ['p6 OK none found'])).toEqual([])
  for (const line of ['p6 BAD no', 'p6 NO [EXPUNGEISSUED] not all of it']) {
    expect(() => answered(plain(), ['* SEARCH 4', line])).toThrow(Failure)
  }
})
