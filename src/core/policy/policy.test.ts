import { expect, test } from 'vitest'
import { CAPABILITIES, type FolderDefinition } from './folder.ts'
import { isPattern, normalPath, nothingAllowed, ownerPolicy, type Policy, policyFrom } from './policy.ts'

function named(...paths: string[]): Policy {
  const folders = paths.map(
    (path): FolderDefinition => ({ path, mode: 'blacklist', default: 'FULL', rules: [], capabilities: [] }),
  )
  return policyFrom({ name: 'agent', concealHidden: true, accounts: new Map([['work', folders]]) })
}

const found = (policy: Policy, path: string): string | undefined => {
  const folder = policy.folder('work', path)
  return folder.named ? folder.path : undefined
}

test.each<[string[], string, string | undefined]>([
  [['INBOX'], 'INBOX', 'INBOX'],
  [['**'], 'a\u0000b', undefined],
  [['INBOX'], 'inbox', 'INBOX'],
  [['iNbOx'], 'InBoX', 'iNbOx'],
  [['Inbox/Invoices'], 'INBOX/Invoices', 'Inbox/Invoices'],
  [['INBOX/Invoices'], 'inbox/Invoices', 'INBOX/Invoices'],
  [['INBOX/Invoices'], 'INBOX/invoices', undefined],
  [['INBOX'], 'INBOX2', undefined],
  [['INBOX'], 'Archive/INBOX', undefined],
  [['Archive/INBOX'], 'Archive/inbox', undefined],
  [['Archive'], 'archive', undefined],
  [['Archive'], 'Archive/', undefined],
  [['Archive'], 'Archive/2026', undefined],
  [['Archive/*'], 'Archive/2026', 'Archive/*'],
  [['Archive/*'], 'Archive', undefined],
  [['Archive/*'], 'Archive/', undefined],
  [['Archive/*'], 'Archive/2026/May', undefined],
  [['Archive/**'], 'Archive/2026', 'Archive/**'],
  [['Archive/**'], 'Archive/2026/May', 'Archive/**'],
  [['Archive/**'], 'Archive', undefined],
  [['Archive/**'], 'Archived/x', undefined],
  [['inbox/*'], 'INBOX/x', 'inbox/*'],
  [['INBOX/**'], 'Inbox/x/y', 'INBOX/**'],
  [['*'], 'INBOX', '*'],
  [['*'], 'a/b', undefined],
  [['**'], 'a/b/c', '**'],
  [['**'], '', undefined],
  [['a*'], 'ab', undefined],
  [['a*'], 'a*', 'a*'],
  [['a/***'], 'a/b', undefined],
  [['a/*/c'], 'a/b/c', undefined],
  [['a/**', 'a/*'], 'a/b', 'a/*'],
  [['a/*', 'a/**'], 'a/b/c', 'a/**'],
  [['**', 'a/**', 'a/b/*', 'a/b/c'], 'a/b/c', 'a/b/c'],
  [['a/b/c', 'a/b/*', 'a/**', '**'], 'a/b/d', 'a/b/*'],
  [['**', 'a/b/*', 'a/**'], 'a/b/d/e', 'a/**'],
  [['**', 'a/b/*', 'a/**'], 'b', '**'],
  [['*', '**'], 'b', '*'],
])('of %j the one for %s is %s', (paths, path, expected) => {
  expect(found(named(...paths), path)).toBe(expected)
  expect(found(named(...paths.toReversed()), path)).toBe(expected)
})

test('what is not named is hidden', () => {
  const policy = named('INBOX')
  expect(policy.sees('home')).toBe(false)
  for (const folder of [
    policy.folder('home', 'INBOX'),
    policy.folder('work', 'Other'),
    nothingAllowed.folder('work', 'x'),
  ]) {
    expect(folder).toMatchObject({ named: false, ceiling: 'NONE', default: 'NONE', mayRaise: false })
    expect(folder.capabilities.size).toBe(0)
    expect(folder.uniform?.level).toBe('NONE')
  }
  expect(policy.folders('home')).toEqual([])
  expect(nothingAllowed.sees('work')).toBe(false)
  for (const name of ['toString', '__proto__', 'constructor']) expect(policy.sees(name)).toBe(false)
})

test('what is named is listed as it is written', () => {
  const policy = named('iNbOx', 'a/*')
  expect(policy.folders('work').map(({ path }) => path)).toEqual(['iNbOx', 'a/*'])
  expect(policy).toMatchObject({ name: 'agent', concealHidden: true, byFolder: true })
  expect(policy.howToAllow).not.toContain('agent')
})

test.each([true, false])('an owner sees everything and writes when the gate is open: %s', (writes) => {
  const policy = ownerPolicy(writes)
  const folder = policy.folder('any', 'Where/Ever')
  expect(policy.sees('any')).toBe(true)
  expect(policy.byFolder).toBe(false)
  expect(folder.uniform).toEqual({ level: 'FULL', reason: 'folder_default_applied' })
  expect([...folder.capabilities]).toEqual(writes ? [...CAPABILITIES] : [])
})

test.each<[string, string]>([
  ['Inbox', 'INBOX'],
  ['inbox/a', 'INBOX/a'],
  ['inboxes', 'inboxes'],
  ['a/inbox', 'a/inbox'],
])('%s is the same as %s', (path, normal) => {
  expect(normalPath(path)).toBe(normal)
})

test.each<[string, boolean]>([
  ['a/*', true],
  ['a/**', true],
  ['*', true],
  ['**', true],
  ['a*', false],
  ['a/***', false],
  ['a/*/b', false],
  ['*/a', false],
])('%s stands for several folders: %s', (path, pattern) => {
  expect(isPattern(path)).toBe(pattern)
})
