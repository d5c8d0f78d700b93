/** Whatever is in the files: a tree, or problems with places. Nothing else, and in time. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadTree } from '../../src/config/tree/load.ts'
import { TreeProblems } from '../../src/config/tree/problems.ts'
import { EXAMPLE, type TreeFiles, writeTree } from './trees.ts'

const NAMES = Object.keys(EXAMPLE) as (keyof typeof EXAMPLE)[]
const file = fc.constantFrom(...NAMES)
const directory = writeTree(EXAMPLE)
/** What the run before left changed. */
const changedBefore = new Set<string>()

/** Whether the example loads with these files in place of its own. */
function settles(changed: TreeFiles): boolean {
  const files = Object.entries({ ...EXAMPLE, ...changed }).filter(
    ([name]) => changedBefore.has(name) || name in changed,
  )
  for (const [name, content] of files) writeFileSync(join(directory, name), content)
  changedBefore.clear()
  for (const name of Object.keys(changed)) changedBefore.add(name)
  try {
    return loadTree(directory, {}, '/data').accounts.length > 0
  } catch (error) {
    expect(error).toBeInstanceOf(TreeProblems)
    const { problems, message } = error as TreeProblems
    expect(problems.length).toBeGreaterThan(0)
    for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThanOrEqual(0)
    for (const line of message.split('\n')) expect(line).toMatch(/^([\w/.-]+(:[1-9]\d*:[1-9]\d*)?: \S|… and \d+ more)/)
    return false
  }
}

const word = fc.oneof(
  fc.constantFrom('accounts', 'callers', 'id', 'policy', 'auth', 'type', 'rules', 'match', 'path', 'mode', 'default'),
  fc.constantFrom('send', 'approvals', 'approval', 'trusted', 'elicitation', 'vault', 'smtp', 'flow', '@example.com'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'null', '~', 'true', '1', '.nan', '-0', '1e999', '<<', ''),
  fc.string({ maxLength: 8, unit: 'binary' }),
)
const mark = fc.constantFrom(
  ': ',
  ':',
  '- ',
  '\n',
  '\n  ',
  '\n    ',
  '\t',
  '{',
  '}',
  '[',
  ']',
  ',',
  '&a ',
  '*a',
  '!!js ',
  '!',
  '|\n',
  '>\n',
  '"',
  "'",
  '#',
  '? ',
  '%YAML 1.1\n---\n',
  '---\n',
  '...\n',
  '\r\n',
  '\u0000',
  '\ufeff',
  '\u2028',
)
const junk = fc.array(fc.oneof(word, mark), { maxLength: 60 }).map((pieces) => pieces.join(''))

test('junk', () => {
  fc.assert(
    fc.property(file, junk, (name, text) => {
      expect(settles({ [name]: text })).toBe(false)
    }),
    { numRuns: 150 },
  )
})

test('bytes', () => {
  fc.assert(
    fc.property(file, fc.uint8Array({ maxLength: 200 }), (name, bytes) => {
      settles({ [name]: bytes })
    }),
    { numRuns: 100 },
  )
})

test('values of every kind in every place', () => {
  const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json))
  fc.assert(
    fc.property(file, fc.nat(), value, (name, at, text) => {
      const lines = EXAMPLE[name].split('\n')
      const index = at % lines.length
      const changed = (lines[index] ?? '').replace(/(:|-)( .*)?$/, `$1 ${text.replaceAll('$', '$$$$')}`)
      settles({ [name]: lines.with(index, changed).join('\n') })
    }),
    { numRuns: 150 },
  )
})

test('a good tree with pieces lost, doubled and swapped', () => {
  const change = fc.record({
    name: file,
    from: fc.nat(),
    length: fc.nat({ max: 40 }),
    by: fc.oneof(junk, fc.constant('')),
  })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const files: Record<string, string> = {}
      for (const { name, from, length, by } of changes) {
        const text = files[name] ?? EXAMPLE[name]
        const start = from % (text.length + 1)
        files[name] = `${text.slice(0, start)}${by.slice(0, 5)}${text.slice(start + length)}`
      }
      settles(files)
    }),
    { numRuns: 150 },
  )
  expect(settles({})).toBe(true)
})
