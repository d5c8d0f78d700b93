import { expect, test } from 'vitest'
import type { MessageView, SearchPage } from '../results.ts'
import { LEVELS } from './level.ts'
import { redact } from './redact.ts'

const view: MessageView = {
  date: '2026-01-01T00:00:00Z',
  size: 10,
  flags: ['\\Seen'],
  from: 'a',
  to: 'b',
  cc: 'c',
  subject: 's',
  header: [{ name: 'X', value: 'y' }],
  text: 'body',
  textTruncated: false,
  html: '<p>body</p>',
  htmlTruncated: false,
  attachments: [{ part: '2', filename: 'f', type: 'text/plain', size: 1, text: undefined, textTruncated: false }],
  warnings: [],
  issues: [],
}

function shown(level: (typeof LEVELS)[number]): string[] {
  const { result } = redact('read_message', view, level)
  return Object.entries(result)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name]) => name)
}

test('each level shows all that the one below it shows', () => {
  for (const [i, level] of LEVELS.entries()) {
    const below = LEVELS[i - 1]
    if (below !== undefined) expect(shown(level)).toEqual(expect.arrayContaining(shown(below)))
  }
})

test.each<[(typeof LEVELS)[number], string[]]>([
  ['FULL', []],
  ['BODY', ['attachments']],
  ['HEADERS', ['text', 'html', 'attachments']],
  ['ENVELOPE', ['header', 'text', 'html', 'attachments']],
])('at %s these fields are named as redacted: %j', (level, redacted) => {
  expect(redact('read_message', view, level).redacted).toEqual(redacted)
})

test('nothing of a redacted listing remains', () => {
  const page: SearchPage = {
    uidvalidity: 1,
    total: 1,
    attempted: 1,
    messages: [{ uid: 1, date: 'd', size: 1, flags: [], from: 'secret', subject: 'secret', snippet: 'secret' }],
    issues: [],
    nextCursor: undefined,
    resendCriteria: false,
  }
  expect(JSON.stringify(redact('search', page, 'METADATA').result)).not.toContain('secret')
})
