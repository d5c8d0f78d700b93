/** notmuch (Debian), indexing a Maildir and asked in one process that has it open. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ended, isInstalled, runToEnd, sizeOf } from './processes.ts'

const QUERIES = join(import.meta.dirname, 'notmuch-queries.py')
/** The distribution's bindings are its own Python's, which need not be the first one on the path. */
const PYTHONS = ['python3', '/usr/bin/python3']

export interface NotmuchAnswer {
  /** Medians in milliseconds: the 20 newest, the count of all. */
  readonly newest: number
  readonly count: number
  readonly found: number
}

export interface Notmuch {
  index(): Promise<Ended>
  bytes(): number
  /** By the name of the query; undefined where its bindings for Python are not installed. */
  ask(queries: Readonly<Record<string, string>>, rounds: number): Readonly<Record<string, NotmuchAnswer>> | undefined
}

export function hasNotmuch(): boolean {
  return isInstalled('notmuch', '--version')
}

/** In a directory of its own, which is made; `mail` is only read. */
export function notmuch(directory: string, mail: string): Notmuch {
  const database = join(directory, 'index')
  mkdirSync(database, { recursive: true })
  const config = join(directory, 'config')
  const settings = [
    ...['[database]', `path=${database}`, `mail_root=${mail}`],
    ...['[user]', 'name=Reader', 'primary_email=reader@bench.example'],
    ...['[new]', 'tags=', '[maildir]', 'synchronize_flags=true', ''],
  ]
  writeFileSync(config, settings.join('\n'))
  // Without it Xapian finds a run of CJK characters only as a whole.
  const env = { HOME: directory, NOTMUCH_CONFIG: config, XAPIAN_CJK_NGRAM: '1' }
  return {
    index: () => runToEnd({ command: 'notmuch', args: ['new', '--quiet'], env }),
    bytes: () => sizeOf(database),
    ask: (queries, rounds) => {
      const python = PYTHONS.find((name) => isInstalled(name, '-c', 'import notmuch2'))
      if (python === undefined) return undefined
      const input = JSON.stringify(queries)
      const path = { PATH: process.env['PATH'] ?? '' }
      const args = [QUERIES, String(rounds)]
      const { stdout, status, stderr } = spawnSync(python, args, { encoding: 'utf8', input, env: { ...path, ...env } })
      if (status !== 0) throw new Error(`notmuch could not be asked: ${stderr.slice(-500)}`)
      return JSON.parse(stdout) as Readonly<Record<string, NotmuchAnswer>>
    },
  }
}
