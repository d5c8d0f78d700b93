import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { DatabaseKind } from '../../ports/database-files.ts'
import { databaseFiles } from './database-files.ts'

const kindOf = (scripts: readonly string[]): DatabaseKind => ({
  applicationId: 1,
  scripts,
  pragmas: ['journal_mode = WAL'],
  failure: ({ kind, cause }) => cause ?? new Error(kind),
})

const FIRST = `
  create table letter (number integer primary key, text text not null);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
  insert into letter (number, text) select i, 'letter ' || i from n;`
/** Rewrites everything, several times over: long enough to die in. */
const SECOND = `
  alter table letter add column size integer not null default 0;
  create table word (text text not null, letter integer not null);
  ${"update letter set size = size + length(text), text = text || ' more';".repeat(12)}
  insert into word (text, letter) select text, number from letter;
  create index word_text on word (text);`
/** Is not done before it is killed, however late that is. */
const ENDLESS = `${SECOND}
  insert into word (text, letter)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000000) select 'last', max(i) from n;`

const MIGRATION = `
  const { databaseFiles } = await import(process.argv[1])
  const kind = { applicationId: 1, scripts: JSON.parse(process.argv[3]), pragmas: [], failure: ({ cause }) => cause }
  const file = databaseFiles.file(process.argv[2], kind)
  console.log('ready')
  file.write(() => undefined)
  file.close()
`

/** Everything there is, in the order in which it lies. */
function dump(path: string): { readonly version: number; readonly letters: unknown[]; readonly words: unknown[] } {
  const db = new Sqlite(path)
  try {
    const version = Number(db.pragma('user_version', { simple: true }))
    const has = (name: string): boolean =>
      db.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined
    const words = has('word') ? db.prepare('select * from word order by rowid').all() : []
    return { version, letters: db.prepare('select * from letter order by number').all(), words }
  } finally {
    db.close()
  }
}

function broughtUp(path: string, scripts: readonly string[]): void {
  const file = databaseFiles.file(path, kindOf(scripts))
  file.write(() => undefined)
  file.close()
}

/** A process that brings the file up, killed after so many milliseconds; whether it got to its end before. */
async function killedAfter(path: string, script: string, ms: number): Promise<boolean> {
  const files = join(import.meta.dirname, 'database-files.ts')
  const args = ['--input-type=module', '-e', MIGRATION, files, path, JSON.stringify([FIRST, script])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close')
  await once(child.stdout, 'data')
  await pause(ms)
  child.kill('SIGKILL')
  const [code] = await closed
  return code === 0
}

test('killed while it is brought up, a file is as it was; the next start brings it up', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'migration-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const [path, undisturbed] = [join(directory, 'a.db'), join(directory, 'b.db')]
  for (const one of [path, undisturbed]) broughtUp(one, [FIRST])
  const before = dump(path)
  for (const ms of [0, 20, 100]) {
    expect(await killedAfter(path, ENDLESS, ms)).toBe(false)
    expect(dump(path)).toEqual(before)
  }
  // At its very end too, where chance has it.
  for (const ms of [10, 20, 30, 40, 60, 80]) {
    if (await killedAfter(path, SECOND, ms)) break
    if (dump(path).version === 2) break
    expect(dump(path)).toEqual(before)
  }
  for (const one of [path, undisturbed]) broughtUp(one, [FIRST, SECOND])
  const after = dump(path)
  expect(after.version).toBe(2)
  expect(after.words).toHaveLength(20_000)
  expect(after).toEqual(dump(undisturbed))
})
