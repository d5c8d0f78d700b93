import fc from 'fast-check'
import { expect, test } from 'vitest'
import { choiceOf, DEEDS, PRESETS, planFor } from './preset.ts'
import { accountIdFor } from './tree-change.ts'

const ROLES = { drafts: 'Drafts', junk: 'Junk', trash: 'Trash' }

test('looking changes nothing and hides junk', () => {
  const plan = planFor(choiceOf('look'), ROLES)
  expect(plan.sends).toBe(false)
  expect(plan.folders.flatMap(({ capabilities }) => capabilities)).toEqual([])
  expect(plan.folders.map(({ path, level }) => [path, level])).toEqual([
    ['**', 'FULL'],
    ['Trash', 'FULL'],
    ['Junk', 'NONE'],
  ])
})

test('drafting adds drafts, where drafts go', () => {
  const plan = planFor(choiceOf('draft'), {})
  expect(plan.folders.filter(({ capabilities }) => capabilities.length > 0)).toMatchObject([
    { path: 'Drafts', capabilities: ['draft_append'] },
  ])
})

test('no preset promises to move mail: the tools that setup gives cannot', () => {
  for (const { hint } of PRESETS) expect(hint).not.toMatch(/\b(?:file|move)s?\b/)
})

test('an assistant may move mail, but not into the trash', () => {
  const { folders, sends } = planFor(choiceOf('assistant'), ROLES)
  expect(sends).toBe(true)
  expect(folders.find(({ path }) => path === '**')?.capabilities).toContain('accept_incoming')
  expect(folders.find(({ path }) => path === 'Trash')?.capabilities).toEqual(['mark_seen', 'mark_tagged', 'move_out'])
})

test('property: nothing deletes, junk stays hidden unless it was named, no folder is named twice', () => {
  const path = fc.constantFrom('INBOX', 'Drafts', 'Junk', 'Trash', 'Work/2026')
  fc.assert(
    fc.property(
      fc.array(path),
      fc.constantFrom('ENVELOPE', 'BODY', 'FULL'),
      fc.subarray([...DEEDS]),
      (folders, level, may) => {
        const plan = planFor({ folders, level, may }, ROLES)
        const paths = plan.folders.map((folder) => folder.path)
        expect(new Set(paths).size).toBe(paths.length)
        expect(plan.folders.flatMap(({ capabilities }) => capabilities)).not.toContain('delete')
        const junk = plan.folders.find((folder) => folder.path === 'Junk')
        if (!folders.includes('Junk')) expect(junk?.level ?? 'NONE').toBe('NONE')
        for (const named of folders) expect(paths).toContain(named)
        expect(plan.sends).toBe(may.includes('send'))
      },
    ),
  )
})

test.each([
  ['ada@example.org', [], 'example'],
  ['ada.l+x@example.org', ['example'], 'example-ada-l-x'],
  ['ada@example.org', ['example', 'example-ada'], 'example-2'],
  ['ada@münchen.example', [], 'm-nchen'],
  ['ada@ü.example', [], 'ada'],
])('%s beside %j is %s', (address, taken, id) => {
  expect(accountIdFor(address, new Set(taken))).toBe(id)
})
