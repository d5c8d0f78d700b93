import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryIn, withEntry, withoutEntry } from './jsonc-edit.ts'

const PATH = ['mcpServers', 'postern']
const ENTRY = { command: 'node', args: ['x'], env: { A: 'b' } }

test('an empty file becomes one with the entry alone', () => {
  expect(withEntry('', PATH, 1)).toBe('{\n  "mcpServers": {\n    "postern": 1\n  }\n}\n')
  expect(JSON.parse(withEntry('{}', PATH, ENTRY))).toEqual({ mcpServers: { postern: ENTRY } })
})

test('an entry comes after the others, in their manner', () => {
  const text = '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"other": { "command": "o" } // mine\n\t}\n}\n'
  const after = withEntry(text, PATH, { command: 'p' })
  expect(after).toBe(
    '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"other": { "command": "o" }, // mine\n\t\t"postern": {\n\t\t\t"command": "p"\n\t\t}\n\t}\n}\n',
  )
  expect(withoutEntry(after, PATH)).toBe(text)
})

test.each([
  ['a trailing comma', '{\n  // first\n  "a": 1, /* last */\n}'],
  ['one line', '{"a":[1,2,{"b":3}],"mcpServers":{"o":1}}'],
  ['a byte order mark and other line ends', '\ufeff{\r\n  "a": 1\r\n}\r\n'],
  ['comments that look like entries', '{\n  "a": "// no comment", /* "mcpServers": {} */\n  "b": 2\n}'],
])('%s is kept', (_, text) => {
  const after = withEntry(text, PATH, ENTRY)
  expect(JSON.parse(entryIn(after, PATH) ?? '')).toEqual(ENTRY)
  const kept = text.replace(/[\s{}]+$/, '')
  for (const piece of kept.split(/[\n,]/)) expect(after).toContain(piece.trimEnd())
  expect(entryIn(withoutEntry(after, PATH), PATH)).toBeUndefined()
})

test.each([
  ['[1]', /something else than a JSON object/],
  ['{"mcpServers": []}', /"mcpServers" in the file is something else/],
  ['{"a": 1', /line 1 is not JSON/],
  ['{"a": 1}\n{', /line 2 is not JSON/],
  ["{'a': 1}", /line 1 is not JSON/],
  [`${'['.repeat(300)}`, /nested too deeply/],
])('%s is refused', (text, reason) => {
  expect(() => withEntry(text, PATH, 1)).toThrow(reason)
})

/** JSON as people and programs write it: any spacing, and numbers and strings that do not survive being read. */
const spaced = fc.constantFrom('', ' ', '\n', '\n  ', '\t')
const raw: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom('1e400', '12345678901234567890', '-0.10', 'null', 'true', '"\\u0041\\/"', '"//"', '[ 1,2 ]'),
    fc.string().map((text) => JSON.stringify(text)),
    tie('object'),
  ),
  object: fc
    .tuple(fc.array(fc.tuple(fc.string(), tie('value'))), spaced)
    .map(
      ([members, gap]) =>
        `{${gap}${members.map(([key, value]) => `${JSON.stringify(key)}:${gap}${value}`).join(`${gap},${gap}`)}${gap}}`,
    ),
})).object

test('property: whatever else a file holds stays, byte for byte', () => {
  fc.assert(
    fc.property(raw, fc.json(), (text, entry) => {
      fc.pre(entryIn(text, ['mcpServers']) === undefined)
      const value = JSON.parse(entry)
      const after = withEntry(text, PATH, value)
      expect(JSON.parse(after)).toEqual({ ...JSON.parse(text), mcpServers: { postern: value } })
      // What was there is there still: the text without the new entry, but for the comma and blanks around it.
      const shown = JSON.stringify('mcpServers')
      const at = after.lastIndexOf(shown)
      const end =
        at +
        shown.length +
        after.slice(at + shown.length).indexOf(entryIn(after, ['mcpServers']) ?? '') +
        (entryIn(after, ['mcpServers']) ?? '').length
      expect(squeezed(after.slice(0, at).replace(/,?\s*$/, '') + after.slice(end))).toBe(squeezed(text))
      expect(JSON.parse(withoutEntry(after, ['mcpServers']))).toEqual(JSON.parse(text))
      expect(JSON.parse(withEntry(after, PATH, value))).toEqual(JSON.parse(after))
    }),
  )
})

/** Blanks before the closing brace are the only ones that may differ. */
const squeezed = (text: string): string => text.replace(/\s*\}\s*$/, '}')
