/** What a doctor says of a machine on which something is not as it should be: files, ports, letters, clients. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { localDatabase } from '../../src/adapters/local/accounts.ts'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { leaseOf } from '../../src/adapters/mirror/file/lease.ts'
import { mirrorPath } from '../../src/adapters/mirror/file/path.ts'
import { createOutboxStore } from '../../src/adapters/outbox/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { SEND_DEFAULTS } from '../../src/core/policy/sending.ts'
import type { Examined } from '../../src/engine/doctor/examine.ts'
import { entry as auditEntry, HandClock, openLog } from '../audit/scene.ts'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { account, PROGRAM } from '../imap/postern.ts'
import { newTransfer, stepBy } from '../journal/transfers.ts'
import { letter } from '../mail-source/messages.ts'
import { RawProcess } from '../mcp/raw-process.ts'
import { approvalAt, bytesOf, newEntry } from '../outbox-store/letters.ts'
import { expectFound, type Machine, newMachine, runProgram, treeWith, type Variables } from './scene.ts'

let dovecot: Dovecot
/** A data directory with a mirror in it. */
let kept: string
let mail: Variables

beforeAll(async () => {
  dovecot = await startDovecot({ users: { ada: 'ada-secret' } })
  await dovecot.deliver(
    'ada',
    'INBOX',
    Array.from({ length: 200 }, (_, i) => ({ raw: letter({ subject: `letter ${i}` }), received: 1_700_000_000 + i })),
  )
  mail = { ...account('work', dovecot.port, 'ada', 'ada-secret'), MAIL_IMAP_WORK_MIRROR: 'headers' }
  kept = mkdtempSync(join(tmpdir(), 'dkept-'))
  const home = { PATH: process.env['PATH'] ?? '', HOME: kept, XDG_CONFIG_HOME: kept, POSTERN_DATA_DIR: kept }
  expect(await runProgram(['sync'], { ...home, ...mail })).toMatchObject({ code: 0 })
})

afterAll(async () => {
  await dovecot.stop()
  rmSync(kept, { recursive: true, force: true })
})

/** A machine with one account that needs no server. */
async function local(files: Readonly<Record<string, string>> = {}): Promise<[Machine, Variables]> {
  const machine = await newMachine()
  machine.put(machine.tree, { ...treeWith('provider: local'), ...files })
  mkdirSync(join(machine.data, 'local'), { recursive: true, mode: 0o700 })
  const path = localDatabase(join(machine.data, 'local'), 'work')
  const source = createLocalSource({ path, account: 'work', databases: databaseFiles })
  await source.mailboxes(new AbortController().signal)
  await source.close()
  return [machine, { POSTERN_CONFIG_DIR: machine.tree }]
}

describe('configuration', () => {
  test('there is none', async () => {
    const machine = await newMachine()
    expectFound(await machine.doctor(), 'configuration', 'broken', /no mail account is configured/, /postern setup/)
  })

  test('a typo in a tree', async () => {
    const [machine, env] = await local({ 'callers.yaml': 'callers:\n  - { id: agent, polcy: all }\n' })
    const findings = await machine.doctor(env)
    expectFound(findings, 'configuration', 'broken', /callers\.yaml:2:\d+: .*polic/, /postern check --config/)
  })

  test('a directory that is not there', async () => {
    const machine = await newMachine()
    const findings = await machine.doctor({ POSTERN_CONFIG_DIR: join(machine.home, 'nowhere') })
    expectFound(findings, 'configuration', 'broken', /no such directory/, /postern check --config/)
  })

  test('variables that cannot be read', async () => {
    const findings = await (await newMachine()).doctor({ ...mail, MAIL_IMAP_WORK_PORT: 'imap' })
    expectFound(findings, 'configuration', 'broken', /MAIL_IMAP_WORK_PORT must be a whole number/, /set the variable/)
  })

  test('an account whose mail was never imported', async () => {
    const [machine, env] = await local()
    rmSync(join(machine.data, 'local'), { recursive: true })
    const findings = await machine.doctor(env)
    expectFound(findings, 'configuration', 'warning', /nothing is imported yet/, /postern import PATH --account work/)
  })

  test('variables that mean nothing', async () => {
    const [machine, env] = await local()
    const findings = await machine.doctor({
      ...env,
      POSTERN_DATADIR: '/x',
      DEV_MODE: 'flase',
      MAIL_IMAP_PASS: 'x',
    })
    expectFound(findings, 'variables', 'warning', /^POSTERN_DATADIR is not a setting/, /rename it: POSTERN_DATA_DIR$/)
    expectFound(findings, 'variables', 'warning', /^DEV_MODE is neither true nor false/, /set DEV_MODE/)
    expectFound(findings, 'variables', 'warning', /^MAIL_IMAP_PASS is not a setting/, /MAIL_IMAP_DEFAULT_PASS/)
  })

  test('accounts in the environment that a tree hides', async () => {
    const [machine, env] = await local()
    const findings = await machine.doctor({ ...env, ...mail })
    expectFound(
      findings,
      'variables',
      'warning',
      /MAIL_IMAP_WORK_HOST and the like are not used/,
      /write those accounts/,
    )
  })
})

describe('secrets', () => {
  const server = 'host: 127.0.0.1, port: 1, user: ada, auth: { type: password, secret_ref: "secret://work/password" }'

  test('one that is missing', async () => {
    const machine = await newMachine()
    machine.put(machine.tree, { ...treeWith(server.replace('port: 1', `port: ${dovecot.port}`)), 'secrets/x': '' })
    const findings = await machine.doctor({ POSTERN_CONFIG_DIR: machine.tree })
    expectFound(
      findings,
      'secrets',
      'broken',
      /there is no secret secret:\/\/work\/password/,
      /cat > .*secrets\/work\/password/,
    )
  })

  test('one that others can read, and a token that is short', async () => {
    const token = 'auth: { type: shared_token, token_secret_ref: "secret://token" }'
    const [machine, env] = await local({
      'callers.yaml': `callers:\n  - { id: agent, policy: all, ${token} }\n`,
      'secrets/token': 'nineteen-characters',
    })
    chmodSync(join(machine.tree, 'secrets/token'), 0o644)
    const findings = await machine.doctor(env)
    expectFound(findings, 'secrets', 'warning', /can be read by other users/, /^run: chmod 600 .*secrets\/token$/)
    expectFound(findings, 'secrets', 'warning', /fewer than 20 characters/, /openssl rand/)
    expect(JSON.stringify(findings)).not.toContain('nineteen')
  })
})

describe('the data directory', () => {
  test('is a file', async () => {
    const machine = await newMachine()
    writeFileSync(machine.data, '')
    const findings = await machine.doctor(without(mail))
    expectFound(findings, 'directory', 'broken', /is not a directory/, /POSTERN_DATA_DIR/)
  })

  test('can be read by others', async () => {
    const [machine, env] = await local()
    chmodSync(machine.data, 0o755)
    expectFound(await machine.doctor(env), 'directory', 'warning', /read by other users/, /chmod 700/)
  })

  test('cannot be written', async () => {
    const [machine, env] = await local()
    // Root may write everywhere: it has to be somebody else.
    const isRoot = process.getuid?.() === 0
    if (isRoot) execFileSync('chown', ['-R', '65534', machine.tree])
    for (const path of [machine.home, machine.data]) chmodSync(path, 0o555)
    const as = isRoot ? 65534 : undefined
    const { code, stdout } = await runProgram(['doctor', '--json'], { ...machine.env, ...env }, as)
    for (const path of [machine.home, machine.data]) chmodSync(path, 0o700)
    const { findings } = JSON.parse(stdout)
    expect(code).toBe(1)
    expectFound(findings, 'directory', 'broken', /cannot be written: this user may not/, /chown -R .*POSTERN_DATA_DIR/)
  })

  test('may not be looked into: nobody is told that no record lies there', async () => {
    const [machine, env] = await local()
    const isRoot = process.getuid?.() === 0
    if (isRoot) execFileSync('chown', ['-R', '65534', machine.tree])
    chmodSync(machine.home, 0o755)
    chmodSync(machine.data, 0o000)
    const as = isRoot ? 65534 : undefined
    const { stdout } = await runProgram(['doctor', '--json'], { ...machine.env, ...env }, as)
    const shown = await runProgram(['audit', 'show'], machine.env, as)
    chmodSync(machine.data, 0o700)
    const found = JSON.parse(stdout).findings.filter(({ verdict }: Examined) => verdict === 'broken')
    expect(found).toMatchObject([
      { check: 'directory', sentence: expect.stringContaining('this user may not write there') },
      { check: 'audit', sentence: 'the audit log cannot be read' },
    ])
    expect(shown).toMatchObject({ code: 1, stdout: '' })
    expect(shown.stderr).toContain(`the audit log cannot be read: ${join(machine.data, 'audit')}`)
  })

  test('is on a disk that is full', async ({ skip }) => {
    const disk = mkdtempSync(join(tmpdir(), 'ddisk-'))
    onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'ignore' })
    } catch {
      return skip('no right to mount a disk here')
    }
    onTestFinished(() => void execFileSync('umount', ['-l', disk]))
    const [machine, env] = await local()
    cpSync(machine.data, disk, { recursive: true })
    const small = { ...env, POSTERN_DATA_DIR: disk }
    expectFound(await machine.doctor(small), 'disk', 'broken', /^0 MB are left/, /make room/)
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize))
    const full = await machine.doctor(small)
    expect(full).toContainEqual(
      expect.objectContaining({
        check: 'directory',
        verdict: 'broken',
        sentence: expect.stringMatching(/no space is left/),
      }),
    )
  })
})

/** What is looked at here is no server. */
function without(variables: Variables): Variables {
  const { MAIL_IMAP_WORK_MIRROR: _, ...rest } = variables
  return rest
}

describe('the mirror', () => {
  async function mirrored(): Promise<[Machine, string]> {
    const machine = await newMachine()
    cpSync(kept, machine.data, { recursive: true })
    chmodSync(machine.data, 0o700)
    return [machine, mirrorPath(join(machine.data, 'mirror'), 'work')]
  }
  const again = /postern forget work --yes && postern sync work/

  test('is as it should be', async () => {
    const [machine] = await mirrored()
    const findings = await machine.doctor(mail)
    const fine = { check: 'mirror', verdict: 'ok', sentence: expect.stringMatching(/^200 messages in 3 folders$/) }
    expect(findings).toContainEqual(expect.objectContaining(fine))
  })

  test('is no database', async () => {
    const [machine, path] = await mirrored()
    writeFileSync(path, 'no database at all'.repeat(1000))
    for (const side of ['-wal', '-shm']) rmSync(path + side, { force: true })
    expectFound(await machine.doctor(mail), 'mirror', 'broken', /is damaged/, again)
  })

  test('is damaged inside', async () => {
    const [machine, path] = await mirrored()
    const db = new Sqlite(path)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    const bytes = readFileSync(path)
    for (let page = 2; page * 8192 < bytes.length; page += 1) bytes.fill(0xaa, page * 8192, page * 8192 + 512)
    writeFileSync(path, bytes)
    expectFound(await machine.doctor(mail), 'mirror', 'broken', /is damaged/, again)
  })

  test('was written by a newer version', async () => {
    const [machine, path] = await mirrored()
    const db = new Sqlite(path)
    db.pragma('user_version = 999')
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    expectFound(
      await machine.doctor(mail),
      'mirror',
      'broken',
      /a newer version/,
      /upgrade Postern, or .*postern forget work/,
    )
  })

  test('is held by a process that is stopped, and by one that does nothing', async () => {
    const [machine, path] = await mirrored()
    const holder = await holding(leaseOf(path))
    process.kill(holder.pid ?? 0, 'SIGSTOP')
    const stopped = new RegExp(`kill -CONT ${holder.pid}`)
    expectFound(await machine.doctor(mail), 'mirror', 'broken', /holds the mirror and is stopped/, stopped)
    process.kill(holder.pid ?? 0, 'SIGCONT')
    const up = expect.stringMatching(new RegExp(`kept up to date by process ${holder.pid}`))
    expect(await machine.doctor(mail)).toContainEqual(expect.objectContaining({ check: 'mirror', sentence: up }))
    const db = new Sqlite(path)
    db.exec('update folder set checked_at = 1700000000000')
    db.close()
    const kill = new RegExp(`run: kill ${holder.pid}`)
    expectFound(await machine.doctor(mail), 'mirror', 'warning', /not looked at the server since 2023-11-14/, kill)
  })
})

async function holding(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'lease-holder.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child
}

test('a record that somebody changed', async () => {
  const [machine, env] = await local()
  const directory = join(machine.data, 'audit')
  const log = openLog(directory, new HandClock('2026-05-06T10:00:00.000Z'), undefined, { keyDirectory: machine.data })
  for (const tool of ['one', 'two', 'three']) await log.append(auditEntry(tool))
  await log.close()
  expect(await machine.doctor(env)).toContainEqual(
    expect.objectContaining({ check: 'audit', verdict: 'ok', sentence: '3 records, chain intact' }),
  )
  const file = join(directory, readdirSync(directory).find((name) => name.endsWith('.jsonl')) ?? '')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"tool":"two"', '"tool":"owt"'))
  expectFound(
    await machine.doctor(env),
    'audit',
    'broken',
    /chain is broken: .*\.jsonl, line \d/,
    /postern audit verify/,
  )
})

describe('the vault', () => {
  test.each<[string, (vault: string) => void, 'broken' | 'warning', RegExp, RegExp]>([
    ['is a file', (vault) => writeFileSync(vault, ''), 'broken', /is not a directory/, /POSTERN_VAULT/],
    ['is a link', (vault) => linked(vault), 'warning', /is a link/, /set POSTERN_VAULT to the directory itself/],
    [
      'can be written by others',
      (vault) => made(vault, 0o777),
      'broken',
      /other users .* can approve/,
      /chmod -R go-rwx/,
    ],
    ['can be read by others', (vault) => made(vault, 0o755), 'warning', /other users .* can read/, /chmod -R go-rwx/],
    [
      'has a link among its folders',
      (vault) => {
        made(vault, 0o700)
        symlinkSync(tmpdir(), join(vault, 'Approved'))
      },
      'broken',
      /Approved in .* is a link/,
      /run: mv .*Approved/,
    ],
  ])('%s', async (_what, prepare, verdict, sentence, cure) => {
    const [machine, env] = await local()
    prepare(join(machine.data, 'vault'))
    expectFound(await machine.doctor(env), 'vault', verdict, sentence, cure)
  })

  function made(vault: string, mode: number): void {
    mkdirSync(vault)
    chmodSync(vault, mode)
  }

  function linked(vault: string): void {
    made(`${vault}-elsewhere`, 0o700)
    symlinkSync(`${vault}-elsewhere`, vault)
  }
})

test('letters that wait, and one of which nobody knows whether it was sent', async () => {
  const [machine, env] = await local()
  const store = createOutboxStore({ path: join(machine.data, 'outbox.db'), locks: fileLocks, databases: databaseFiles })
  const now = Date.now()
  const lost = newEntry({ subject: 'lost' }, now)
  await store.queue(lost, bytesOf(lost.id), SEND_DEFAULTS.pendingLimit)
  await store.record(lost.id, { kind: 'approve', approval: approvalAt(now) })
  await store.claim(lost.id, now, { most: 10, lengthMs: 1000 })
  await store.record(lost.id, { kind: 'lose', at: now })
  const waiting = newEntry({ subject: 'waiting' }, now)
  await store.queue(waiting, bytesOf(waiting.id), SEND_DEFAULTS.pendingLimit)
  await store.close()
  const findings = await machine.doctor(env)
  expectFound(findings, 'letters', 'broken', /nobody knows whether/, new RegExp(`postern outbox ${lost.id} --look`))
  expectFound(findings, 'letters', 'warning', /^1 letter waits/, new RegExp(`postern approve ${waiting.id}`))
})

test('a move that needs an operator', async () => {
  const [machine, env] = await local()
  const journal = createJournal({ path: join(machine.data, 'wal.db'), locks: fileLocks, databases: databaseFiles })
  const transfer = newTransfer()
  await journal.begin([transfer])
  await journal.record([stepBy(transfer, { kind: 'escalated', error: 'target_unreachable' })])
  await journal.close()
  const cure = new RegExp(`postern transfers retry ${transfer.txId}`)
  expectFound(await machine.doctor(env), 'transfers', 'broken', /needs an operator/, cure)
})

describe('the port', () => {
  test('is taken, by another program and by ourselves', async () => {
    const server = createServer((socket) => void socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const [machine, env] = await local()
    const there = { ...env, IMAP_MCP_HTTP_PORT: String(port) }
    const found = await machine.doctor(there)
    expectFound(found, 'port', 'broken', /another program listens/, new RegExp(`--port ${port + 1}`))
    await new Promise((resolve) => server.close(resolve))
    const elsewhere = { ...machine.env, POSTERN_DATA_DIR: join(machine.home, 'other'), ...without(mail) }
    const postern = new RawProcess([PROGRAM, '--transport', 'http', '--port', String(port)], elsewhere)
    onTestFinished(async () => {
      postern.kill()
      await postern.exitCode()
    })
    await expect.poll(() => postern.errors).toContain(`:${port}`)
    const ours = { check: 'port', verdict: 'ok', sentence: `a Postern answers at 127.0.0.1:${port}` }
    machine.put(machine.home, {
      'config/Claude/claude_desktop_config.json': JSON.stringify({
        mcpServers: { postern: { url: `http://127.0.0.1:${port}/mcp` } },
      }),
    })
    const again = await machine.doctor(there)
    expect(again).toContainEqual(expect.objectContaining(ours))
    expect(again.filter(({ sentence }) => /nobody answers/.test(sentence))).toEqual([])
    // Whoever only looks is no stranger at the door.
    const shown = await runProgram(['audit', 'show'], elsewhere)
    expect(shown).toMatchObject({ code: 0, stdout: '' })
  })

  test('is at no address of this machine, and is no number', async () => {
    const [machine, env] = await local()
    const away = await machine.doctor({ ...env, IMAP_MCP_HTTP_HOST: '203.0.113.7' })
    expectFound(away, 'port', 'broken', /no address of this machine/, /IMAP_MCP_HTTP_HOST/)
    const words = await machine.doctor({ ...env, IMAP_MCP_HTTP_PORT: 'http' })
    expectFound(words, 'port', 'broken', /IMAP_MCP_HTTP_PORT must be a number/, /postern doctor/)
  })
})

describe('clients', () => {
  const path = 'config/Claude/claude_desktop_config.json'
  const desktop = (server: object): Record<string, string> => ({
    [path]: JSON.stringify({ mcpServers: { postern: server, other: { command: 'elsewhere' } } }),
  })
  const again = /postern client add claude-desktop/

  test.each<[string, (machine: Machine) => object, 'broken' | 'warning', RegExp]>([
    [
      'a program that is gone',
      () => ({ command: '/opt/gone/node', args: [PROGRAM] }),
      'broken',
      /names \/opt\/gone\/node/,
    ],
    ['a program that nobody finds', () => ({ command: 'postern-of-old', args: [] }), 'broken', /names postern-of-old/],
    [
      'an old path',
      () => ({ command: process.execPath, args: ['/opt/old/bin/postern.mjs'] }),
      'broken',
      /names \/opt\/old\/bin\/postern\.mjs/,
    ],
    [
      'a tree that is gone',
      () => ({ command: process.execPath, args: [PROGRAM, '--config', '/opt/tree'] }),
      'broken',
      /names \/opt\/tree/,
    ],
    [
      'another installation',
      ({ home }) => {
        writeFileSync(join(home, 'postern.mjs'), '')
        return { command: process.execPath, args: [join(home, 'postern.mjs')] }
      },
      'warning',
      /starts another installation/,
    ],
    [
      'an address at which nobody is',
      () => ({ url: 'http://127.0.0.1:1/mcp?token=never-said' }),
      'warning',
      /127\.0\.0\.1:1, where/,
    ],
  ])('name %s', async (_what, server, verdict, sentence) => {
    const [machine, env] = await local()
    machine.put(machine.home, desktop(server(machine)))
    const findings = await machine.doctor(env)
    expectFound(findings, 'clients', verdict, sentence, again)
    expect(JSON.stringify(findings)).not.toContain('never-said')
  })

  test('that know nothing of us are named, one that is here first', async () => {
    const [machine, env] = await local()
    const unknown = /no client on this machine knows Postern/
    expectFound(await machine.doctor(env), 'clients', 'warning', unknown, /client add CLIENT \("postern client list"/)
    machine.put(machine.home, { '.codex/config.toml': '' })
    expectFound(await machine.doctor(env), 'clients', 'warning', unknown, /client add codex$/)
    // It need not have a list of servers yet.
    machine.put(machine.home, { '.cursor/settings': '' })
    expectFound(await machine.doctor(env), 'clients', 'warning', unknown, /client add cursor$/)
  })

  test('are well, or cannot be read', async () => {
    const [machine, env] = await local()
    const well = `// ours\n${desktop({ command: process.execPath, args: [PROGRAM] })[path]}`
    machine.put(machine.home, { [path]: well })
    expect(await machine.doctor(env)).toContainEqual(
      expect.objectContaining({ check: 'clients', verdict: 'ok', subject: 'Claude Desktop' }),
    )
    machine.put(machine.home, { [path]: '{ "mcpServers": ' })
    expectFound(await machine.doctor(env), 'clients', 'broken', /is no JSON/, /mend it with an editor/)
  })
})

describe('the command', () => {
  test('prints a line for each and what mends it, and tells by its exit code', async () => {
    const [machine, env] = await local()
    const well = await runProgram(['doctor'], { ...machine.env, ...env })
    expect(well).toMatchObject({ code: 0, stderr: '' })
    expect(well.stdout).toMatch(/^ok {7}configuration {2}1 account and 1 caller/m)
    expect(well.stdout).toMatch(/^0 broken, 1 warning, \d+ ok\.$/m)
    chmodSync(machine.data, 0o700)
    writeFileSync(join(machine.data, 'vault'), '')
    const ill = await runProgram(['doctor'], { ...machine.env, ...env })
    expect(ill.code).toBe(1)
    expect(ill.stdout).toMatch(/^BROKEN {3}vault {10}.* is not a directory\n {24}→ move it away/m)
  })

  test('says it in JSON too, and while it takes long, what it looks at', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const machine = await newMachine()
    const env = { ...machine.env, ...without(mail), MAIL_IMAP_WORK_PORT: String(port) }
    const { code, stdout, stderr } = await runProgram(['doctor', '--json'], env)
    expect(code).toBe(1)
    expect(stderr).toMatch(/still looking at: .*tls/)
    const { ok, counts, findings } = JSON.parse(stdout)
    expect([ok, counts.broken]).toEqual([false, 1])
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'tls',
        verdict: 'broken',
        looks_at: expect.any(String),
        cure: expect.any(String),
      }),
    )
    expect(stdout).not.toContain('ada-secret')
  })
})

test('every variable that the program reads is known to the doctor', async () => {
  const { isKnownVariable } = await import('../../src/config/strays.ts')
  const root = join(import.meta.dirname, '../../src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const read = files.flatMap((name) =>
    [...readFileSync(join(root, name), 'utf8').matchAll(/env\['((?:POSTERN|IMAP_MCP)_\w+)'\]/g)].map(
      (match) => match[1] ?? '',
    ),
  )
  expect(read.length).toBeGreaterThan(5)
  expect(read.filter((name) => !isKnownVariable(name))).toEqual([])
})
