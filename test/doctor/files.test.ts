/** Every file of the data directory: the doctor finds the damaged one, names it and the cure, and the cure works. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createUidStore } from '../../src/adapters/gmail/uids/store.ts'
import { uidStorePath } from '../../src/adapters/gmail/uids/store-path.ts'
import { createGrantNotes } from '../../src/adapters/oauth/grant-notes.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { Examined } from '../../src/engine/doctor/examine.ts'
import { DATA_FILES, dataFileOf } from '../../src/house/data-files.ts'
import { unknownFiles } from '../../src/house/doctor-files.ts'
import { PROGRAM, startPostern } from '../imap/postern.ts'
import { emailsOf, tell } from '../inbox/answers.ts'
import { letter } from '../mail-source/messages.ts'
import { RawProcess } from '../mcp/raw-process.ts'
import { ask } from '../policy/answers.ts'
import { ALL_CAPABILITIES, passwordFrom, type Stage, startStage, uniform } from '../policy/stage.ts'
import { everythingSaid, type Machine, newMachine, runProgram } from './scene.ts'

let stage: Stage
/** A data directory in which everything was used, and the files that were in it while servers ran. */
let used: string
const seen = new Set<string>()
const home = mkdtempSync(join(tmpdir(), 'dhome-'))

beforeAll(async () => {
  const limits = { per_minute: 1000, per_hour: 1000 }
  stage = await startStage({
    accounts: {
      ada: {
        user: 'ada',
        identity: 'ada@example.com',
        mirror: 'headers',
        smtp: { host: '127.0.0.1', port: 1, tls: 'none', user: 'ada', secret_ref: 'secret://accounts/ada/password' },
        ...passwordFrom('ada'),
      },
      old: { provider: 'local' },
    },
    callers: {
      reader: { policy: 'all', toolsets: ['inbox', 'outbox'], limits },
      mover: { policy: 'all', toolsets: ['policy', 'imap'], limits },
    },
    env: { DEV_MODE: 'false' },
    policies: {
      all: {
        accounts: { ada: [uniform('**', 'FULL', ALL_CAPABILITIES)], old: [uniform('**', 'FULL', ALL_CAPABILITIES)] },
      },
    },
  })
  await stage.put('ada', 'INBOX', [letter({ subject: 'one' }), letter({ subject: 'two' }), large()])
  used = stage.dataDir
  await useEverything()
  await sleepers()
})
afterAll(async () => {
  await stage.close()
  rmSync(home, { recursive: true, force: true })
})

function large(): string {
  const file = `Content-Type: application/x-thing; name=big.bin\r\nContent-Transfer-Encoding: base64\r\n`
  const body = Buffer.alloc(1_200_000, 7).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  const head = 'From: a@example.org\r\nSubject: large\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b'
  return `${head}\r\n\r\n--b\r\n${file}\r\n${body}\r\n--b--\r\n`
}

/** Each part of the program that keeps a file. */
async function useEverything(): Promise<void> {
  const [reader, mover] = [await stage.as('reader'), await stage.as('mover')]
  const { client } = reader.postern
  const text = async (name: string, args: object): Promise<string> =>
    JSON.stringify(await client.callTool({ name, arguments: { ...args } }))
  const emails = emailsOf(await tell(client, 'list_emails', { account: 'ada@example.com' }))
  const email_id = emails.find(({ subject }) => subject === 'large')?.id
  await tell(client, 'get_attachment', { account: 'ada@example.com', email_id, attachment_id: '1' })
  expect(await text('send_email', { account: 'ada', to: 'b@example.com', subject: 'hello', body: 'x' })).toMatch(
    /approv/i,
  )
  const move = { source: { account: 'ada', folder: 'INBOX', uid: 1 }, target: { account: 'old', folder: 'INBOX' } }
  expect(await mover.ask('move', move)).toMatchObject({ result: 'OK' })
  const page = { account_id: 'ada', mailbox: 'INBOX', limit: 1 }
  await mover.postern.call('imap_search_messages', page)
  const console = new RawProcess([PROGRAM, 'console', '--port', '0'], envOf(stage.dataDir))
  await vi.waitFor(() => expect(console.output + console.errors).toMatch(/http:/), 30_000)
  note()
  console.child.kill('SIGTERM')
  await console.exitCode()
  expect(await runProgram(['sync'], envOf(stage.dataDir))).toMatchObject({ code: 0 })
  note()
  for (const { postern } of [reader, mover]) await postern.close()
}

/** Those that need a provider of which there is none here. */
async function sleepers(): Promise<void> {
  const path = uidStorePath(join(used, 'gmail'), 'g@example.com')
  const uids = createUidStore({ path, databases: databaseFiles })
  await uids.forget(new AbortController().signal)
  uids.close()
  const notes = createGrantNotes({ directory: used })
  await notes.write('g@example.com', { scope: 'mail' })
  await notes.alone('g@example.com', async () => undefined)
  note()
}

function note(): void {
  for (const path of filesBelow(used)) seen.add(relative(used, path))
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function envOf(data: string): Record<string, string> {
  const PATH = process.env['PATH'] ?? ''
  return { PATH, HOME: home, XDG_CONFIG_HOME: home, POSTERN_DATA_DIR: data, POSTERN_CONFIG_DIR: stage.tree }
}

/** A machine with a copy of that directory. */
async function copied(): Promise<Machine> {
  const machine = await newMachine()
  cpSync(used, machine.data, { recursive: true })
  chmodSync(machine.data, 0o700)
  return machine
}

const examined = (machine: Machine): Promise<readonly Examined[]> => machine.doctor({ POSTERN_CONFIG_DIR: stage.tree })

/** Files of that kind which the doctor looks into. */
function filesOf(machine: Machine, ...kinds: string[]): string[] {
  return filesBelow(machine.data).filter((path) => {
    const row = dataFileOf(relative(machine.data, path))
    return row !== undefined && row !== 'passing' && !row.isCheckedElsewhere && kinds.includes(row.content.kind)
  })
}

/** Does what the findings say, as a person would. */
function cure(findings: readonly Examined[]): void {
  for (const { cure: words = '' } of findings) {
    const command = /run: (.*?)(?: \([^()]*\))?$/.exec(words)?.[1]
    expect(command, words).toBeDefined()
    execFileSync('sh', ['-c', command ?? ''], { env: { PATH: process.env['PATH'] ?? '', USER: 'root' } })
  }
}

/** There is no server to send with. */
const isBroken = ({ check, verdict }: Examined): boolean => verdict === 'broken' && check !== 'tls'

const broken = (findings: readonly Examined[]): readonly Examined[] =>
  findings.filter(({ check, verdict }) => check === 'files' && verdict !== 'ok')

/** Reading, sending and moving mail. */
async function expectCalls(machine: Machine): Promise<void> {
  const env = { POSTERN_CONFIG_DIR: stage.tree, IMAP_MCP_CALLER_ID: 'reader', DEV_MODE: 'false' }
  const postern = await startPostern(env, machine.data)
  onTestFinished(() => postern.close())
  const called = async (name: string, args: object): Promise<string> =>
    JSON.stringify(await postern.client.callTool({ name, arguments: { ...args } }))
  expect(await called('list_emails', { account: 'ada@example.com' })).toContain('two')
  expect(await called('send_email', { account: 'ada', to: 'c@example.com', subject: 'again', body: 'x' })).toMatch(
    /approv/i,
  )
  const mover = await startPostern({ ...env, IMAP_MCP_CALLER_ID: 'mover' }, machine.data)
  onTestFinished(() => mover.close())
  const copy = { source: { account: 'ada', folder: 'INBOX', uid: 2 }, target: { account: 'old', folder: 'INBOX' } }
  expect(await ask(mover.client, 'copy', copy)).toMatchObject({ result: 'OK' })
}

describe('the table of files', () => {
  test('knows everything that the program makes', () => {
    const places = { directory: used, audit: join(used, 'audit'), journal: join(used, 'wal.db') }
    // Node's compile cache lies below the home directory, which is the data directory of the agents here.
    const isOther = (name: string): boolean => !name.startsWith('postern/')
    expect(unknownFiles(places).filter(isOther)).toEqual([])
    expect([...seen].filter((name) => dataFileOf(name) === undefined && isOther(name))).toEqual([])
  })

  test('holds nothing but audit.pub that others than its owner can read or write', () => {
    const all = readdirSync(used, { recursive: true, encoding: 'utf8' })
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter((name) => (statSync(join(used, name)).mode & 0o077) !== 0)).toEqual(['audit.pub'])
  })

  test('has no row that the program makes nothing for', () => {
    // Made by a crash, an hour, a full log, or a person.
    const rare = /damaged|spool|logs|owner|slots/
    const rows = DATA_FILES.filter(({ pattern }) => !rare.test(pattern.source))
    const unused = rows.filter(({ pattern }) => ![...seen].some((name) => pattern.test(name)))
    expect(unused.map(({ pattern }) => pattern.source)).toEqual([])
  })

  test('names every kind of database', () => {
    const root = join(import.meta.dirname, '../../src')
    const table = readFileSync(join(root, 'house/data-files.ts'), 'utf8')
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(?<!\.test)\.ts$/.test(name),
    )
    const kinds = sources.flatMap((name) =>
      [...readFileSync(join(root, name), 'utf8').matchAll(/const (\w+): DatabaseKind =/g)].map(([, kind = '']) => kind),
    )
    expect(kinds.length).toBeGreaterThan(5)
    expect(kinds.filter((kind) => !table.includes(`database(${kind})`))).toEqual([])
  })
})

test('where nothing is damaged, nothing is found', async () => {
  const machine = await copied()
  const before = filesBelow(machine.data)
  const findings = await examined(machine)
  expect(broken(findings)).toEqual([])
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'files', sentence: expect.stringMatching(/none damaged/) }),
  )
  expect(filesBelow(machine.data)).toEqual(before)
})

describe('one file alone', () => {
  test.each(['reads.db', 'limits.db', 'outbox.db', 'wal.db', 'audit/.lock.db', 'audit.key', 'audit.pub', 'seal.key'])(
    '%s is found by its name, and nothing else is broken',
    async (name) => {
      const machine = await copied()
      writeFileSync(join(machine.data, name), 'garbage '.repeat(1000))
      const findings = await examined(machine)
      const [found, ...others] = findings.filter(isBroken)
      expect(others).toEqual([])
      expect(found).toMatchObject({ check: 'files', subject: join(machine.data, name) })
      expect(found?.sentence).toMatch(/is damaged$/)
      cure(found === undefined ? [] : [found])
      expect((await examined(machine)).filter(isBroken)).toEqual([])
      expect(existsSync(join(machine.data, 'damaged'))).toBe(true)
    },
  )

  test('a damaged key is told in words of our own', async () => {
    const machine = await copied()
    writeFileSync(join(machine.data, 'audit.key'), 'garbage '.repeat(1000))
    const env = { POSTERN_CONFIG_DIR: stage.tree, IMAP_MCP_CALLER_ID: 'mover' }
    const postern = await startPostern(env, machine.data)
    await ask(postern.client, 'list_messages', { account: 'ada', folder: 'INBOX' })
    await postern.close()
    expect(postern.output.stderr).toContain('audit.key in the data directory is damaged')
    expect(postern.output.stderr).not.toMatch(/DECODER|routines/)
    expect(everythingSaid()).not.toMatch(/DECODER|routines/)
  })
})

describe('all of them at once', () => {
  const spoil: readonly [string, readonly string[], (path: string) => void][] = [
    ['garbage', ['database', 'lock', 'text'], (path) => writeFileSync(path, 'garbage '.repeat(1000))],
    ['cut off', ['database', 'text'], (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ['no bytes', ['database', 'text'], (path) => truncateSync(path, 0)],
    [
      'a folder in its place',
      ['database', 'lock', 'text'],
      (path) => {
        rmSync(path)
        mkdirSync(path)
      },
    ],
    ['of another program', ['database'], (path) => foreign(path)],
    ['of a newer version', ['database'], (path) => void settled(path, 'user_version = 999')],
    ['open to others', ['database', 'lock', 'text'], (path) => chmodSync(path, 0o644)],
  ]

  test.each(spoil)('%s: each is found, the cures work, and calls are answered', async (what, kinds, damage) => {
    const machine = await copied()
    const files = filesOf(machine, ...kinds).filter((path) => what !== 'open to others' || !path.endsWith('.pub'))
    for (const path of files) {
      if (kinds.includes('database') && path.endsWith('.db') && statSync(path).size > 0) settled(path)
      damage(path)
    }
    const found = broken(await examined(machine))
    // Without its other half nobody can tell whether a public key is right.
    const told = found.map(({ subject }) => subject)
    expect(files.filter((path) => !told.includes(path) && !path.endsWith('audit.pub'))).toEqual([])
    cure(found)
    expect(broken(await examined(machine))).toEqual([])
    await expectCalls(machine)
  })

  function settled(path: string, pragma = 'wal_checkpoint(TRUNCATE)'): void {
    const db = new Sqlite(path)
    db.pragma(pragma)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  }

  function foreign(path: string): void {
    rmSync(path)
    const db = new Sqlite(path)
    db.exec('create table theirs (a); insert into theirs values (1)')
    db.pragma('application_id = 1234')
    db.close()
  }
})

test('files that this user may not use', async () => {
  const machine = await copied()
  const isRoot = process.getuid?.() === 0
  const path = join(machine.data, 'limits.db')
  const tree = join(mkdtempSync(join(tmpdir(), 'dtree-')), 'tree')
  onTestFinished(() => rmSync(join(tree, '..'), { recursive: true, force: true }))
  cpSync(stage.tree, tree, { recursive: true })
  if (isRoot) execFileSync('chown', ['-R', '65534', machine.home, join(tree, '..')])
  chmodSync(path, 0o000)
  const env = { ...machine.env, POSTERN_CONFIG_DIR: tree }
  const { stdout } = await runProgram(['doctor', '--json'], env, isRoot ? 65534 : undefined)
  const found = JSON.parse(stdout).findings.filter(({ check }: Examined) => check === 'files')
  expect(found).toMatchObject([
    {
      verdict: 'broken',
      subject: path,
      sentence: expect.stringMatching(/cannot be read and written by this user/),
      cure: expect.stringMatching(/chmod 600/),
    },
  ])
})
