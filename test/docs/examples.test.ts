/** The examples of pages are configuration trees that load, and mean what is said of them. */
import { rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { loadTree } from '../../src/config/tree/load.ts'
import type { Tree } from '../../src/config/tree/tree.ts'
import { policyFrom } from '../../src/core/policy/policy.ts'
import { writeTree } from '../config/trees.ts'
import { pageAt } from './pages.ts'

function treeIn(path: string): Tree {
  const files = [...pageAt(path).text.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)].map(([, file, text]) => [
    file,
    text,
  ])
  const directory = writeTree(Object.fromEntries(files))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return loadTree(directory, {}, directory)
}

test('the policies by example are one tree, without a warning', () => {
  const { warnings, policies, callers } = treeIn('docs/policy-examples.md')
  expect(warnings).toEqual([])
  expect([...policies.keys()].sort()).toEqual(['assistant', 'draft', 'invoices', 'look', 'support', 'team'])
  expect(callers.map(({ policy }) => policy).sort()).toEqual([...policies.keys()].sort())
})

test('who looks only changes nothing and sends nothing; nobody may delete', () => {
  const { policies } = treeIn('docs/policy-examples.md')
  const capabilities = (name: string): readonly string[] =>
    [...(policies.get(name)?.accounts.values() ?? [])].flat().flatMap((folder) => folder.capabilities)
  expect(capabilities('look')).toEqual([])
  expect(capabilities('draft')).toEqual(['draft_append'])
  for (const name of policies.keys()) expect(capabilities(name)).not.toContain('delete')
  const sends = [...policies].map(([name, { send }]) => [name, send?.approval])
  expect(Object.fromEntries(sends)).toEqual({
    look: 'forbidden',
    draft: 'forbidden',
    assistant: 'always',
    invoices: 'forbidden',
    support: 'always',
    team: 'flow',
  })
  const look = policies.get('look')
  expect(look && policyFrom(look).folder('work', 'Junk').ceiling).toBe('NONE')
})
