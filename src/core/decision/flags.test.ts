import { expect, test } from 'vitest'
import { flagsAfter, forbiddenFlag, isTag, knownLabel, labelFlags, labelsOf } from './flags.ts'

test.each(['work', '$Forwarded', 'flagged', 'Seenly', '\\Flagged', '\\flagged', '\\FLAGGED', 'größe'])(
  '%j is a tag',
  (tag) => {
    expect(isTag(tag)).toBe(true)
    expect(forbiddenFlag(tag)).toBe(false)
  },
)

test.each([
  '\\Seen',
  '\\seen',
  '\\SEEN',
  '\\Deleted',
  '\\Draft',
  '\\Recent',
  '\\Answered',
  '\\*',
  '\\',
  '\\Unheard',
  ' \\Seen',
  'a \\Seen',
  'a\\Seen',
  '\\Flagged \\Seen',
  '\\Flagged ',
  '\\\\Flagged',
  '(\\Seen)',
  'x\r\n\\Seen',
])('%j is no tag', (tag) => {
  expect(isTag(tag)).toBe(false)
  expect(forbiddenFlag(tag)).toBe(true)
})

test.each(['Seen', 'DELETED', 'draft', 'Answered', 'recent'])(
  '%j may not be added as a tag; where it stands as a keyword it may be taken away',
  (tag) => {
    expect(forbiddenFlag(tag)).toBe(true)
    expect(isTag(tag)).toBe(true)
  },
)

test.each<[string[], string[], string[], string[]]>([
  [['a'], ['b'], [], ['a', 'b']],
  [['A', 'b'], [], ['a'], ['b']],
  [['\\Flagged'], [], ['\\FLAGGED'], []],
  [['a'], ['A'], [], ['a']],
  [['a'], ['b', 'B'], [], ['a', 'b']],
  [[], ['a'], ['a'], ['a']],
  [['a'], ['a'], ['a'], ['a']],
])('%j, with %j added and %j removed, are %j', (flags, add, remove, after) => {
  expect(flagsAfter(flags, add, remove)).toEqual(after)
})

test.each<[readonly string[], readonly string[], readonly string[], readonly string[]]>([
  [['STARRED'], [], ['\\Flagged'], []],
  [[' starred '], ['Important'], ['\\Flagged'], ['$Important']],
  [['UNREAD'], [], [], ['\\Seen']],
  [[], ['unread'], ['\\Seen'], []],
  [['work'], ['UNREAD', 'play'], ['work', '\\Seen'], ['play']],
])('adding %j and removing %j', (add, remove, added, removed) => {
  expect(labelFlags({ add, remove })).toEqual({ add: added, remove: removed })
})

test.each(['\u017ftarred', 'STARRED\u200b', 'un read', '\\Seen', 'unr\u0435ad', ''])(
  '%j is no label with a name of its own',
  (label) => {
    expect(knownLabel(label)).toBeUndefined()
  },
)

test('labels as people know them', () => {
  expect(labelsOf([])).toEqual(['UNREAD'])
  expect(labelsOf(['\\seen', '\\FLAGGED', '$important', '\\Answered', 'work'])).toEqual([
    'STARRED',
    'IMPORTANT',
    'work',
  ])
})
