/**
 * The programs that tests need besides Node, and which test files need them.
 *
 * INVARIANT: a test file that reaches one of these programs is found by what it imports, so that `npm run test:fast` never starts it.
 */
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'

export interface Program {
  readonly name: string
  readonly command: string
  /** Debian's package. */
  readonly package: string
  /** The module or npm package that starts it: whoever imports it needs the program. */
  readonly startedBy: string
}

export const PROGRAMS: readonly Program[] = [
  { name: 'Dovecot', command: 'dovecot', package: 'dovecot-imapd', startedBy: 'test/dovecot/dovecot.ts' },
  { name: 'GnuPG', command: 'gpg', package: 'gnupg', startedBy: 'test/secrets/gpg.test.ts' },
  { name: 'Chromium', command: 'chromium', package: 'chromium', startedBy: 'playwright-core' },
]

const ROOT = join(import.meta.dirname, '../..')

// Debian keeps servers in the sbin folders, which an ordinary user's PATH leaves out.
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin']

export function isInstalled({ command }: Program): boolean {
  return FOLDERS.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Every test file, as a path from the project's root. */
export function testFiles(): readonly string[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(folder, file)),
  )
}

/** What a test file needs besides Node: `programsOf('test/console/a11y.test.ts')` is Dovecot and Chromium. */
export function programsOf(testFile: string): readonly Program[] {
  const reached = reachedFrom(testFile)
  return PROGRAMS.filter(({ startedBy }) => reached.has(startedBy))
}

/** Whether a test file starts processes of its own, such as Postern itself. */
export function startsProcesses(testFile: string): boolean {
  return [...reachedFrom(testFile)]
    .filter((file) => file.startsWith('test/') || file === testFile)
    .some((file) => importsOf(file).includes('node:child_process'))
}

/** A file, all that it imports at any depth, and the packages those import. */
export function reachedFrom(file: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const left = [file]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    left.push(...importsOf(next))
  }
  return reached
}

const importsByFile = new Map<string, readonly string[]>()
const IMPORTED = /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\bfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g

function importsOf(file: string): readonly string[] {
  if (!/\.tsx?$/.test(file)) return []
  const known = importsByFile.get(file)
  if (known !== undefined) return known
  const imports = [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORTED)]
    .map(([, first, second]) => first ?? second ?? '')
    .map((name) => (name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), name)) : name))
  importsByFile.set(file, imports)
  return imports
}
