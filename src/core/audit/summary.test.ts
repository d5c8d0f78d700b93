import { expect, test } from 'vitest'
import type { Action } from '../action.ts'
import { summarise } from './summary.ts'

const message = { account: 'work', mailbox: 'INBOX', uidvalidity: 7, uid: 42 }
const to = { account: 'home', mailbox: 'Archive' }
const spot = { account: 'work', folder: 'INBOX', uid: 42 }
const attachment = { kind: 'read_attachment', message, inlineBytes: undefined } as const
const digest = (text: string): string => `digest of ${text.length}`

test.each<[string, Action, object]>([
  ['listing accounts says nothing more', { kind: 'list_accounts' }, {}],
  ['verifying names the account', { kind: 'verify_account', account: 'work' }, { account: 'work' }],
  ['listing folders names the account', { kind: 'list_mailboxes', account: 'work' }, { account: 'work' }],
  ['raw names the message', { kind: 'read_raw', message, maxBytes: 9 }, spot],
  ['deleting names the message', { kind: 'delete_message', message }, spot],
  ['a part is named by its number', { ...attachment, part: '1.2' }, { ...spot, part_id: '1.2' }],
  ['a part asked for by file name is not', { ...attachment, part: 'offer 3.pdf' }, spot],
  ['nor is the first attachment, whichever that is', { ...attachment, part: undefined }, spot],
  ['marking says how', { kind: 'mark_seen', message, seen: false }, { ...spot, seen: false }],
  [
    'tagging says what and how',
    { kind: 'tag_message', message, tags: ['a'], mode: 'replace' },
    { ...spot, tags: ['a'], mode: 'replace' },
  ],
  [
    'adding',
    { kind: 'update_flags', message, add: ['\\Seen'], remove: [] },
    { ...spot, tags: ['\\Seen'], mode: 'add' },
  ],
  ['removing', { kind: 'update_flags', message, add: [], remove: ['a'] }, { ...spot, tags: ['a'], mode: 'remove' }],
  [
    'both',
    { kind: 'update_flags', message, add: ['b'], remove: ['a'] },
    { ...spot, tags: ['-a', '+b'], mode: 'remove_and_add' },
  ],
  [
    'copy',
    { kind: 'copy_message', message, to, blind: false },
    { source: spot, target: { account: 'home', folder: 'Archive' } },
  ],
  [
    'several name each of them',
    { kind: 'relocate_many', operation: 'copy', from: message, uids: [42, 40], to },
    {
      account: 'work',
      folder: 'INBOX',
      uid: [42, 40],
      mode: 'copy',
      target: { account: 'home', folder: 'Archive' },
    },
  ],
  [
    'move',
    { kind: 'move_message', message, to, blind: true },
    { source: spot, target: { account: 'home', folder: 'Archive' } },
  ],
])('%s', (_name, action, summary) => {
  expect(summarise(action, digest)).toEqual(summary)
})

test('of a search only a digest is kept, the same for the same criteria', () => {
  const search = { kind: 'search', account: 'work', mailbox: 'INBOX', cursor: 'c', limit: 5, snippetChars: 9 } as const
  const one = summarise({ ...search, criteria: { from: 'canary@x.org', text: 'canary' } }, (text) => `<${text}>`)
  const other = summarise({ ...search, criteria: { text: 'canary', from: 'canary@x.org' } }, (text) => `<${text}>`)
  expect(one).toEqual(other)
  expect(Object.keys(one)).toEqual(['account', 'folder', 'search_query_digest'])
  expect(JSON.stringify(summarise({ ...search, criteria: { text: 'canary' } }, digest))).not.toContain('canary')
})
