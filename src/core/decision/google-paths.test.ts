import { expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { GoogleFolders } from '../google-folders.ts'
import type { FolderDefinition } from '../policy/folder.ts'
import type { Level } from '../policy/level.ts'
import { ownerPolicy, type Policy, policyFrom } from '../policy/policy.ts'
import { decide } from './decide.ts'
import { namesGoogleFolders, withGoogleFolders } from './google-paths.ts'

const FOLDERS = new GoogleFolders(
  [{ name: '[Gmail]/Entwürfe', delimiter: '/', role: 'drafts', selectable: true, attributes: ['\\Drafts'] }],
  true,
)

function policyOf(levels: Readonly<Record<string, Level>>): Policy {
  const folders = Object.entries(levels).map(
    ([path, level]): FolderDefinition => ({ path, mode: 'blacklist', default: level, rules: [], capabilities: [] }),
  )
  return policyFrom({ name: 'p', concealHidden: false, accounts: new Map([['g', folders]]) })
}

test.each<[string, Readonly<Record<string, Level>>, string | undefined]>([
  ['English', { '[Gmail]/Drafts': 'COUNT' }, '[Gmail]/Drafts'],
  ['English before a pattern', { '[Gmail]/**': 'FULL', '[Gmail]/Drafts': 'COUNT' }, '[Gmail]/Drafts'],
  ['the other prefix', { '**': 'FULL', '[Google Mail]/Drafts': 'COUNT' }, '[Google Mail]/Drafts'],
  ['its own prefix first', { '[Google Mail]/Drafts': 'FULL', '[Gmail]/Drafts': 'COUNT' }, '[Gmail]/Drafts'],
  ['its own name first', { '[Gmail]/Drafts': 'FULL', '[Gmail]/Entwürfe': 'COUNT' }, '[Gmail]/Entwürfe'],
  ['a pattern alone', { '[Gmail]/*': 'COUNT' }, '[Gmail]/*'],
  ["a pattern that matches only the English name's prefix", { '[Google Mail]/*': 'FULL' }, undefined],
])('one definition: %s', (_what, levels, path) => {
  const policy = withGoogleFolders(policyOf(levels), new Map([['g', FOLDERS]]))
  for (const name of ['[Gmail]/Entwürfe', '[Gmail]/Entwu\u0308rfe']) {
    const folder = policy.folder('g', name)
    expect(folder.named ? folder.path : undefined).toBe(path)
  }
})

test('folders that could not be listed are not judged, and the failure is told as it is', () => {
  const down = new Failure('unavailable', 'down')
  for (const inner of [policyOf({ '[Gmail]/Drafts': 'COUNT', '**': 'FULL' }), ownerPolicy(true)]) {
    const policy = withGoogleFolders(inner, new Map([['g', down]]))
    const action = { kind: 'folder_stats', account: 'g', mailbox: 'INBOX' } as const
    expect(() => decide(policy, action, ({ mailbox }) => mailbox)).toThrow(down)
  }
})

test('a server is asked only for a policy that needs it', () => {
  expect(namesGoogleFolders(policyOf({ '[Gmail]/**': 'FULL', INBOX: 'FULL' }), 'g')).toBe(false)
  expect(namesGoogleFolders(policyOf({ '[Google Mail]/Spam': 'FULL' }), 'g')).toBe(true)
  expect(namesGoogleFolders(policyOf({ '[Google Mail]/Spam': 'FULL' }), 'other')).toBe(false)
})
