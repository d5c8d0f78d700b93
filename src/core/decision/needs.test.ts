import { expect, test } from 'vitest'
import type { Action } from '../action.ts'
import type { Capability } from '../policy/folder.ts'
import type { Level } from '../policy/level.ts'
import { needsOf } from './needs.ts'

const message = { account: 'work', mailbox: 'INBOX', uidvalidity: 1, uid: 1 }
const to = { account: 'home', mailbox: 'Archive' }

test.each<[Level]>([['ENVELOPE'], ['HEADERS'], ['BODY']])('reading asks for what it says it needs: %s', (needs) => {
  const action = { kind: 'read_message', message, needs, depth: 'FULL', bodyChars: 1, html: true } as unknown as Action
  expect(needsOf(action).places).toEqual([
    { account: 'work', mailbox: 'INBOX', level: needs, capabilities: [], message },
  ])
})

test.each<['copy_message' | 'move_message', boolean, Level, Capability[]]>([
  ['copy_message', true, 'NONE', []],
  ['copy_message', false, 'COUNT', []],
  ['move_message', true, 'NONE', ['move_out']],
  ['move_message', false, 'COUNT', ['move_out']],
])('%s touches two places (blind: %s)', (kind, blind, level, capabilities) => {
  expect(needsOf({ kind, message, to, blind }).places).toEqual([
    { account: 'work', mailbox: 'INBOX', level, capabilities, message },
    { ...to, level: 'NONE', capabilities: ['accept_incoming'] },
  ])
})

test.each<[string[], string[], Capability[]]>([
  [['\\Seen'], [], ['mark_seen']],
  [[], ['\\SEEN'], ['mark_seen']],
  [['\\Deleted'], [], ['delete']],
  [['\\Flagged'], ['work'], ['mark_tagged']],
  [['\\Answered', '\\Draft'], [], ['mark_tagged']],
  [['\\Seen '], [], ['mark_seen']],
  [['x \\deleted'], [], ['delete']],
  [['\\Seen\\Deleted', 'x'], [], ['mark_seen', 'delete', 'mark_tagged']],
])('adding %j and removing %j needs %j', (add, remove, capabilities) => {
  expect(needsOf({ kind: 'update_flags', message, add, remove }).places[0]?.capabilities).toEqual(capabilities)
})

test('what is answered without a server says so', () => {
  expect(needsOf({ kind: 'describe_policy' }).online).toBe(false)
  expect(needsOf({ kind: 'transaction_status', transaction: 't' }).online).toBe(false)
  expect(needsOf({ kind: 'list_folders', account: 'work' })).toEqual({ account: 'work', places: [], online: true })
  expect(needsOf({ kind: 'folder_stats', account: 'work', mailbox: 'INBOX' }).online).toBe(true)
})
