import { expect, test } from 'vitest'
import type { FolderDefinition } from '../../core/policy/folder.ts'
import type { Level } from '../../core/policy/level.ts'
import { nothingAllowed, ownerPolicy, type Policy, policyFrom } from '../../core/policy/policy.ts'
import { type Account, AccountBook } from './accounts.ts'
import { syncingFor } from './syncing.ts'

function folder(path: string, level: Level): FolderDefinition {
  return { path, mode: 'blacklist', default: level, rules: [], capabilities: [] }
}

function policyOf(...folders: readonly FolderDefinition[]): Policy {
  return policyFrom({ name: 'test', concealHidden: true, accounts: new Map([['ada', folders]]) })
}

/** An account of which only this is asked. */
function syncing(id: string, mailbox: string | undefined): Account {
  const progress = mailbox === undefined ? undefined : { mailbox, done: 2, total: 5 }
  return { id, mirror: { progress: () => progress } } as unknown as Account
}

const at = (id: string, mailbox: string | undefined): AccountBook => new AccountBook([syncing(id, mailbox)])
const INBOX = { folder: { name: 'INBOX', done: 2, total: 5 } }

test('the owner is told everything, and nothing where nothing is under way', () => {
  expect(syncingFor(ownerPolicy(false), at('ada', 'INBOX'))).toEqual(INBOX)
  expect(syncingFor(ownerPolicy(false), at('ada', 'a.b/c'))).toEqual({ folder: { ...INBOX.folder, name: 'a.b/c' } })
  expect(syncingFor(ownerPolicy(false), at('ada', undefined))).toBeUndefined()
})

test('of an account that a caller does not see nothing is said', () => {
  expect(syncingFor(policyOf(folder('INBOX', 'FULL')), at('bob', 'INBOX'))).toBeUndefined()
  expect(syncingFor(nothingAllowed, at('ada', 'INBOX'))).toBeUndefined()
})

test('of a folder its name and size are told only where all of it may be counted', () => {
  const book = at('ada', 'INBOX')
  expect(syncingFor(policyOf(folder('INBOX', 'COUNT')), book)).toEqual(INBOX)
  expect(syncingFor(policyOf(folder('INBOX', 'NONE')), book)).toEqual({})
  expect(syncingFor(policyOf(folder('Sent', 'FULL')), book)).toEqual({})
  const someHidden = { match: { flagged: true }, level: 'NONE' } as const
  expect(syncingFor(policyOf({ ...folder('INBOX', 'FULL'), rules: [someHidden] }), book)).toEqual({})
})

test('a name that may have levels could be another folder to the policy, so it is not told', () => {
  expect(syncingFor(policyOf(folder('**', 'FULL')), at('ada', 'Work.Secret'))).toEqual({})
  expect(syncingFor(policyOf(folder('**', 'FULL')), at('ada', 'Work/Secret'))).toEqual({})
  expect(syncingFor(policyOf(folder('**', 'FULL')), at('ada', 'Work'))).toHaveProperty('folder.name', 'Work')
})

test('a folder that may have a definition under its English name at Google is not told by a pattern', () => {
  const policy = policyOf(folder('**', 'FULL'), folder('[Gmail]/Drafts', 'NONE'), folder('INBOX', 'COUNT'))
  expect(syncingFor(policy, at('ada', 'Drafts'))).toEqual({})
  expect(syncingFor(policy, at('ada', 'INBOX'))).toEqual(INBOX)
})
