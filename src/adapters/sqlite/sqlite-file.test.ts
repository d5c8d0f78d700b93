import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { DatabaseFile, DatabaseKind } from '../../ports/database-files.ts'
import { databaseFiles } from './database-files.ts'

const KIND: DatabaseKind = {
  applicationId: 0x7465_7374,
  scripts: ['create table note (text text not null unique) strict', 'alter table note add column size integer'],
  pragmas: ['journal_mode = WAL', 'synchronous = NORMAL'],
  failure: ({ kind, why, cause, version }) =>
    kind === 'bug' ? cause : new Failure('unavailable', `${kind} ${version ?? '-'}: ${why}`, { cause }),
}

let directory: string
let path: string
let opened: DatabaseFile[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sqlite-file-'))
  path = join(directory, 'made', 'for it', 'a.db')
  opened = []
})
afterEach(() => {
  for (const file of opened) file.close()
  rmSync(directory, { recursive: true })
})

function open(kind: Partial<DatabaseKind> = {}, at = path): DatabaseFile {
  const file = databaseFiles.file(at, { ...KIND, ...kind })
  opened.push(file)
  return file
}
/** The file as another program sees it. */
function outside<T>(work: (db: Sqlite.Database) => T): T {
  mkdirSync(dirname(path), { recursive: true })
  const db = new Sqlite(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const add = (file: DatabaseFile, text: string | null): void => void file.run('insert into note (text) values (?)', text)
const texts = (file: DatabaseFile): string[] =>
  file.all<{ text: string }>('select text from note order by rowid').map(({ text }) => text)

describe('a file', () => {
  test('is made when it is first needed, for its owner alone, as are the directories on the way', () => {
    const file = open()
    expect(existsSync(dirname(path))).toBe(false)
    file.write(() => add(file, 'one'))
    for (const at of [dirname(path), dirname(dirname(path))]) expect(statSync(at).mode & 0o777).toBe(0o700)
    const names = readdirSync(dirname(path)).sort()
    expect(names).toEqual(['a.db', 'a.db-shm', 'a.db-wal'])
    for (const name of names) expect(statSync(join(dirname(path), name)).mode & 0o777).toBe(0o600)
  })

  test('bears its mark and its version, and has its pragmas', () => {
    const file = open({ pragmas: ['page_size = 1024', ...KIND.pragmas] })
    const pragma = (name: string): unknown => Object.values(file.get<object>(`pragma ${name}`) ?? {})[0]
    const found = ['application_id', 'user_version', 'journal_mode', 'synchronous', 'page_size'].map(pragma)
    expect(found).toEqual([KIND.applicationId, 2, 'wal', 1, 1024])
  })

  test('of an older version is brought up with what is in it', () => {
    const older = open({ scripts: KIND.scripts.slice(0, 1) })
    older.write(() => add(older, 'kept'))
    older.close()
    expect(open().all('select * from note')).toEqual([{ text: 'kept', size: null }])
  })

  test('of an older version may be left to those who write', async () => {
    open({ scripts: KIND.scripts.slice(0, 1) }).write(() => undefined)
    const file = open({ isLeftToWriters: true })
    await expect(file.patiently(() => texts(file))).rejects.toThrow('older 1: its file was written by an older version')
    file.write(() => undefined)
    expect(texts(file)).toEqual([])
  })

  test('that is empty is nobody’s yet', () => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
    expect(texts(open({ isLeftToWriters: true }))).toEqual([])
  })

  test('without a mark is known by its version', () => {
    const unmarked = open({ applicationId: 0 })
    unmarked.write(() => add(unmarked, 'one'))
    expect(outside((db) => db.pragma('application_id', { simple: true }))).toBe(0)
    expect(texts(open({ applicationId: 0 }))).toEqual(['one'])
    expect(() => texts(open())).toThrow('foreign 2')
  })

  test.each([
    ['another program’s', 'create table theirs (x)', 'foreign 0'],
    [
      'a version that there cannot be',
      `pragma application_id = ${KIND.applicationId}; pragma user_version = -1`,
      'foreign -1',
    ],
    ['another program’s by its mark', 'pragma application_id = 7', 'foreign 0'],
    ['another program’s by its version', 'pragma user_version = 7', 'foreign 7'],
    ['a newer version', `pragma application_id = ${KIND.applicationId}; pragma user_version = 7`, 'newer 7'],
  ])('of %s is refused and left as it is', (_, made, told) => {
    for (const journal of ['DELETE', 'WAL']) {
      rmSync(path, { force: true })
      outside((db) => db.exec(`pragma journal_mode = ${journal}; ${made}`))
      const before = readFileSync(path)
      for (const work of [(file: DatabaseFile) => texts(file), (file: DatabaseFile) => file.write(() => undefined)]) {
        expect(() => work(open())).toThrow(told)
      }
      expect(readFileSync(path).equals(before)).toBe(true)
    }
  })

  test('of another program is refused where ours bear no mark, too', () => {
    outside((db) => db.exec('create table theirs (x)'))
    expect(() => texts(open({ applicationId: 0 }))).toThrow('foreign 0')
  })

  test('behind a link is flushed and removed where it is', async () => {
    const file = open({ isFlushedAside: true })
    await file.commit(() => add(file, 'one'))
    const link = join(directory, 'link.db')
    symlinkSync(path, link)
    const linked = open({ isFlushedAside: true }, link)
    await linked.commit(() => add(linked, 'two'))
    expect(texts(file)).toEqual(['one', 'two'])
    file.close()
    linked.remove()
    expect(readdirSync(dirname(path))).toEqual([])
  })

  test('that was replaced or removed is let go of, and opened anew', () => {
    const file = open()
    file.write(() => add(file, 'old'))
    expect(file.shutIfReplaced()).toBe(false)
    const other = open()
    other.remove()
    expect(readdirSync(dirname(path))).toEqual([])
    expect(texts(file)).toEqual(['old'])
    expect(file.shutIfReplaced()).toBe(true)
    expect(texts(file)).toEqual([])
  })

  test('that is closed says so, whatever is asked', async () => {
    const file = open()
    file.write(() => undefined)
    file.close()
    for (const asked of [file.patiently(() => texts(file)), file.commit(() => undefined)]) {
      await expect(asked).rejects.toThrow('closed -: it has been closed')
    }
  })
})

describe('what is wrong', () => {
  test('is told apart, and the cause is kept', async () => {
    const file = open()
    const told = async (work: () => unknown): Promise<unknown> => {
      const error = await file.patiently(work).catch((reason: Error) => reason)
      return error instanceof Failure ? [error.message.split(' ')[0], error.cause instanceof Error] : error
    }
    expect(await told(() => add(file, null))).toEqual(['misfit', true])
    expect(await told(() => file.get('select nothing'))).toEqual(['misused', true])
    const bug = new TypeError('a bug')
    const thrown = (error: Error) => () => {
      throw error
    }
    expect(await told(thrown(bug))).toBe(bug)
    const coded = (code: string): (() => never) => thrown(Object.assign(new Error(), { code }))
    const kinds = ['SQLITE_IOERR_FSYNC', 'ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'SQLITE_NOMEM'].map((code) =>
      told(coded(code)),
    )
    const expected = ['disk', 'full', 'quota', 'forbidden', 'many_files', 'other'].map((kind) => [kind, true])
    expect(await Promise.all(kinds)).toEqual(expected)
    expect(await told(coded('ERR_INVALID_ARG_TYPE'))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  })

  test('about the place is told when it is used, and it is tried again the next time', async () => {
    mkdirSync(path, { recursive: true })
    const file = open()
    await expect(file.patiently(() => texts(file))).rejects.toThrow('no_file')
    rmSync(path, { recursive: true })
    writeFileSync(path, 'no database at all '.repeat(1000))
    await expect(file.commit(() => add(file, 'one'))).rejects.toThrow('damaged')
    rmSync(path)
    await file.commit(() => add(file, 'one'))
    expect(texts(file)).toEqual(['one'])
    const below = open({}, join(path, 'b.db'))
    await expect(below.patiently(() => texts(below))).rejects.toThrow('no_directory')
  })
})

describe('writing', () => {
  test('is all or nothing, also as a part of another', () => {
    const file = open()
    const both = (): void => {
      add(file, 'two')
      add(file, null)
    }
    file.write(() => {
      add(file, 'one')
      expect(() => file.write(both)).toThrow('NOT NULL')
      expect(file.read(() => texts(file))).toEqual(['one'])
    })
    expect(() => file.write(both)).toThrow('NOT NULL')
    expect(texts(file)).toEqual(['one'])
  })

  test('waits for another process, and stops nobody meanwhile', async () => {
    const file = open()
    file.write(() => undefined)
    const other = new Sqlite(path)
    other.exec('begin immediate')
    const order: string[] = []
    const writing = Promise.all([
      file.patiently(() => file.write(() => add(file, 'patient'))),
      file.commit(() => add(file, 'in line')),
    ]).then(() => order.push('written'))
    await new Promise((resolve) => setTimeout(resolve, 200))
    order.push('released')
    other.exec('commit')
    other.close()
    await writing
    expect(order).toEqual(['released', 'written'])
    expect(texts(file).sort()).toEqual(['in line', 'patient'])
  })

  test('in line, what one does wrong undoes nothing of the others', async () => {
    const file = open()
    const bug = new Error('a bug')
    const endings = await Promise.allSettled([
      file.commit(() => add(file, 'one')),
      file.commit(() => {
        add(file, 'half')
        throw bug
      }),
      file.commit(() => add(file, 'one')),
      file.commit(() => add(file, 'two')),
    ])
    expect(endings.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(endings[1]).toMatchObject({ reason: bug })
    expect(endings[2]).toMatchObject({ reason: { code: 'unavailable', message: expect.stringContaining('misfit') } })
    expect(texts(file)).toEqual(['one', 'two'])
  })

  test('in line is done when it is idle', async () => {
    const file = open()
    const asked = ['one', 'two', 'three'].map((text) => file.commit(() => add(file, text)))
    await file.idle()
    file.close()
    expect(await Promise.allSettled(asked)).toEqual(asked.map(() => ({ status: 'fulfilled', value: undefined })))
    expect(texts(open())).toEqual(['one', 'two', 'three'])
  })
})
