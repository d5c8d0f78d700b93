/** What a person types to start this program, here and now. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

export interface Started {
  /** As the process was told it: npx names a link that lies elsewhere. */
  readonly script: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** For what is said of this moment. */
export function programHere(): string {
  return safely(programWords)
}

/** For what is read later, or by others: without the folder of a demo, which is gone by then. */
export function programAlone(): string {
  return safely(wordsOf)
}

/** For the console on a data directory: a demo's is its own, whatever the environment says. */
export function programsIn(directory: string): { readonly program: string; readonly programForStrangers: string } {
  const program = safely((started) =>
    programWords({ ...started, env: { ...started.env, POSTERN_DATA_DIR: directory } }),
  )
  return { program, programForStrangers: withoutPath(program) }
}

/** Where the program lies may name its owner. The folder of a demo is nobody's, and nothing is reached without it. */
export function withoutPath(program: string): string {
  return program.startsWith('node ') ? 'postern' : program
}

/** Never fails: it is asked where something else has gone wrong already. */
function safely(words: (started: Started) => string): string {
  try {
    return words({ script: process.argv[1] ?? '', cwd: process.cwd(), env: process.env })
  } catch {
    return 'postern' // the folder that we run in is gone, or the way to the program cannot be looked at
  }
}

/** Only with their folder before them do commands reach the mailbox of a demo, so hints must not lose it. */
export function programWords(started: Started): string {
  const folder = DEMO.exec(started.env['POSTERN_DATA_DIR'] ?? '')?.[0]
  return folder === undefined ? wordsOf(started) : `POSTERN_DATA_DIR=${folder} ${wordsOf(started)}`
}

const DEMO = /^[\w./-]*postern-demo-\w+$/

/** Whoever runs it from its sources has no `postern` on the path, and npx finds it only inside of them. */
function wordsOf({ script, cwd, env }: Started): string {
  if (env['npm_command'] === 'exec') return 'npx postern'
  if (basename(script) === 'postern' || !existsSync(script)) return 'postern'
  const file = realpathSync(script)
  const root = dirname(dirname(file))
  // Only sources have this: no package, image or bundle does.
  if (!existsSync(join(root, 'tools', 'launch.mjs'))) return 'postern'
  return isWithin(root, cwd) ? 'npx postern' : `node ${quoted(file)}`
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

function quoted(path: string): string {
  return /^[\w./:\\@-]+$/.test(path) ? path : JSON.stringify(path)
}
