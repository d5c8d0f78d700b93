/** A message is found by every word of its text, at its server and in its mirror, and what is too long is counted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FolderDefinition } from '../../src/core/policy/folder.ts'
import type { Query } from '../../src/core/query/query.ts'
import type { FolderAnswer } from '../../src/engine/search/search-folder.ts'
import { html, message, plain, several } from './mail.ts'
import { startTwoWays, type TwoWays } from './two-ways.ts'

const OPEN: FolderDefinition = {
  ...{ path: '**', mode: 'blacklist', default: 'FULL', rules: [], capabilities: [] },
}
/** Whoever reads no bodies cannot ask for their words. */
const HEADERS: FolderDefinition = { ...OPEN, default: 'HEADERS' }

const PICTURE = `<img alt="" src="data:image/png;base64,${'iVBORw0K'.repeat(10_000)}">`
const MESSAGES = [
  message('picture', html(`${PICTURE}<p>kestrel</p>`)),
  message('long', plain(`${'first words\r\n'.repeat(20_000)}lapwing`)),
  message('empty', several('mixed', plain(''), html('<p>merlin</p>'))),
  message('several', several('mixed', plain('a text'), html('<p>a nightjar</p>'), plain('an osprey'))),
  message('endless', plain(`plover ${'first words\r\n'.repeat(100_000)} quail`)),
]

let ways: TwoWays
let mailbox: string

beforeAll(async () => {
  ways = await startTwoWays(Date.now() / 1000)
  mailbox = await ways.fill(MESSAGES.map((raw) => ({ raw: Buffer.from(raw) })))
})

afterAll(() => ways.stop())

const words = (piece: string): Query => ({ kind: 'words', field: 'body', pieces: [piece], open: false })
const ask = (way: 'live' | 'mirrored', word: string, rules = OPEN): Promise<FolderAnswer> =>
  ways.ask(ways[way], { mailbox, query: words(word), match: {}, offset: 0, take: 10 }, rules, false)

test.each([
  ['kestrel', 1],
  ['lapwing', 2],
  ['merlin', 3],
  ['nightjar', 4],
  ['osprey', 4],
  ['plover', 5],
])('%s is found', async (word, uid) => {
  for (const way of ['live', 'mirrored'] as const) {
    const { rows, coverage } = await ask(way, word)
    expect(rows.map((row) => row.uid)).toEqual([uid])
    expect(coverage.source).toBe(way === 'live' ? 'live' : 'mirror')
  }
})

test('a word after the first mebibyte is not found, and the coverage says how many messages go on', async () => {
  for (const way of ['live', 'mirrored'] as const) {
    expect(await ask(way, 'quail')).toMatchObject({ rows: [], coverage: { complete: false, partial: 1 } })
  }
  expect((await ask('live', 'kestrel')).coverage.partial).toBeUndefined()
  expect((await ask('mirrored', 'quail', HEADERS)).coverage).toEqual({ source: 'mirror', complete: true, notes: [] })
})
