/** The folder rules, as code. Change this table and ARCHITECTURE.md together. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'

const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  ports: ['core'],
  engine: ['core', 'ports'],
  adapters: ['core', 'ports'],
  surfaces: ['core', 'engine'],
  config: ['core'],
  house: ['core', 'ports', 'engine', 'adapters', 'surfaces', 'config'],
  '': ['core', 'ports', 'engine', 'adapters', 'surfaces', 'config', 'house'],
}

const ROOT = join(import.meta.dirname, '../src')
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'),
)
const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
/** Code without comments, so that a rule can speak of what it forbids. */
const code = (file: string): string => text(file).replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '$1')
const IMPORTS = [
  /^import\s+(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  /^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*from\s+['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]/g,
]
const specifiers = (file: string): string[] =>
  IMPORTS.flatMap((shape) => [...code(file).matchAll(shape)].map((match) => match[1] ?? ''))
const edges = files.flatMap((file) =>
  specifiers(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ from: file, to: relative(ROOT, join(ROOT, dirname(file), specifier)) })),
)
const folder = (file: string, depth: number): string => {
  const path = dirname(file)
  return path === '.' ? '' : path.split(sep).slice(0, depth).join('/')
}
const ring = (file: string): string => folder(file, 1)

test('the tree has these rings and nothing beside them', () => {
  expect([...new Set(files.map(ring))].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
})

test('rings import only what the table allows', () => {
  const broken = edges.filter(({ from, to }) => ring(from) !== ring(to) && !MAY_IMPORT[ring(from)]?.includes(ring(to)))
  expect(broken).toEqual([])
})

test('sub-folders form no cycle', () => {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of edges) {
    const [a, b] = [folder(from, 2), folder(to, 2)]
    if (a !== b) next.set(a, (next.get(a) ?? new Set()).add(b))
  }
  const reach = (a: string, seen = new Set<string>()): Set<string> => {
    for (const b of next.get(a) ?? []) if (!seen.has(b)) reach(b, seen.add(b))
    return seen
  }
  expect([...next.keys()].filter((a) => reach(a).has(a))).toEqual([])
})

test('core has no packages, no I/O, no clock and no randomness', () => {
  const impure =
    /Date\.now|new Date\(\)|performance\.|Math\.random|crypto\.|process\.|Buffer\.|fetch\(|setTimeout|setInterval/
  const broken = files
    .filter((file) => ring(file) === 'core')
    .filter((file) => impure.test(code(file)) || specifiers(file).some((specifier) => !specifier.startsWith('.')))
  expect(broken).toEqual([])
})

test('ports and engine know no packages and no operating system', () => {
  const broken = files
    .filter((file) => ['ports', 'engine'].includes(ring(file)))
    .filter(
      (file) =>
        specifiers(file).some((specifier) => !specifier.startsWith('.')) || /process\.|Buffer\./.test(code(file)),
    )
  expect(broken).toEqual([])
})

test('adapters never import each other', () => {
  const broken = edges.filter(
    ({ from, to }) => ring(from) === 'adapters' && ring(to) === 'adapters' && folder(from, 2) !== folder(to, 2),
  )
  expect(broken).toEqual([])
})

test('databases are opened in one place: elsewhere SQLite is a lock, or is looked at by the doctor', () => {
  const users = files.filter((file) => specifiers(file).includes('better-sqlite3'))
  const LOCKS = ['audit/lock.ts', 'lock/file-locks.ts', 'oauth/account-turn.ts']
  const elsewhere = [...LOCKS.map((file) => join('adapters', file)), join('house', 'doctor.ts')]
  expect(users.filter((file) => folder(file, 2) !== 'adapters/sqlite').sort()).toEqual(elsewhere)
})

test('only the configuration, the program and the adapters that must see the process read its environment', () => {
  const broken = files.filter(
    (file) => /process\.env/.test(code(file)) && !['config', 'house', ''].includes(ring(file)),
  )
  expect(broken).toEqual([])
})

test('only the gate runs actions', () => {
  const runners = edges.filter(({ to }) => to === join('engine', 'actions', 'perform.ts')).map(({ from }) => from)
  expect(runners).toEqual([join('engine', 'gate', 'gate.ts')])
})

test('nothing but the transport and the printer of commands writes to stdout', () => {
  const writers = files.filter((file) => /process\.stdout|console\.(log|info)|writeSync\(1\b/.test(code(file)))
  expect(writers.filter((file) => file !== 'main.ts' && folder(file, 2) !== 'surfaces/mcp')).toEqual([])
})

test('tools hold no handler: they know no engine', () => {
  const broken = edges.filter(({ from, to }) => folder(from, 2) === 'surfaces/tools' && ring(to) === 'engine')
  expect(broken).toEqual([])
})

test('names say something, files stay small, exports have names', () => {
  const empty = /^(utils?|helpers?|common|shared|misc|manager|service|support|index)(\.ts)?$/
  const nameless = files.filter((file) => file.split(sep).some((part) => empty.test(part)))
  const long = files.filter((file) => text(file).split('\n').length > 400)
  const defaults = files.filter((file) => /export default|export \* from/.test(code(file)))
  const headless = files.filter((file) => !text(file).startsWith('/**'))
  expect({ nameless, long, defaults, headless: headless.map((file) => basename(file)) }).toEqual({
    nameless: [],
    long: [],
    defaults: [],
    headless: [],
  })
})
