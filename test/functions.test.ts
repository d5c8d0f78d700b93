/** How long functions may be, as code. Lines are counted as they stand, from the first of a function to its last. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'

const MOST_LINES = 80

const ROOT = join(import.meta.dirname, '../src')
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'),
)

interface Lengthy {
  readonly name: string
  readonly lines: number
}

function functionsOf(code: string, lang: 'ts' | 'tsx'): readonly Lengthy[] {
  const found: Lengthy[] = []
  const visit = (node: unknown, outer: string): void => {
    if (typeof node !== 'object' || node === null) return
    const name = nameOf(node) ?? outer
    if (isFunction(node)) found.push({ name, lines: code.slice(node.start, node.end).split('\n').length })
    for (const child of Object.values(node)) visit(child, name)
  }
  visit(parseAst(code, { lang }), '')
  return found
}

/** What a function, a method, a property or a constant is called. */
function nameOf(node: object): string | undefined {
  const named = 'id' in node ? node.id : 'key' in node ? node.key : undefined
  if (typeof named !== 'object' || named === null || !('name' in named)) return undefined
  return String(named.name)
}

function isFunction(node: object): node is { readonly start: number; readonly end: number } {
  const kinds = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']
  return 'type' in node && kinds.includes(String(node.type))
}

test('functions are counted whatever their form, and inside of others too', () => {
  const code = `
const arrow = async <T>(one: T): Promise<T> => {
  return one
}
class Desk {
  #method(): void {
    const inner = () => 1
    inner()
  }
}
export function plain() {}
`
  expect(functionsOf(code, 'ts')).toEqual([
    { name: 'arrow', lines: 3 },
    { name: 'method', lines: 4 },
    { name: 'inner', lines: 1 },
    { name: 'plain', lines: 1 },
  ])
})

test('functions stay small', () => {
  const long = files.flatMap((file) =>
    functionsOf(readFileSync(join(ROOT, file), 'utf8'), file.endsWith('x') ? 'tsx' : 'ts')
      .filter(({ lines }) => lines > MOST_LINES)
      .map(({ name }) => `${name} in ${file.split(sep).join('/')}`),
  )
  expect(long).toEqual([])
})
