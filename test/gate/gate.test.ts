/** The gate on a real local mailbox, a real content reader and a real audit log. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAttachmentFiles } from '../../src/adapters/attachments/attachment-files.ts'
import { createAuditLog } from '../../src/adapters/audit/audit-log.ts'
import { verifyAuditDirectory } from '../../src/adapters/audit/verify.ts'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { createLog } from '../../src/adapters/log/log.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { createSeal } from '../../src/adapters/seal/seal.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { Action, ActionKind, ActionOf } from '../../src/core/action.ts'
import type { Caller } from '../../src/core/call/caller.ts'
import type { Outcome } from '../../src/core/call/outcome.ts'
import { Failure } from '../../src/core/failure.ts'
import { compileFolder } from '../../src/core/policy/folder.ts'
import type { Level } from '../../src/core/policy/level.ts'
import { ownerPolicy, type Policy } from '../../src/core/policy/policy.ts'
import { Accounts } from '../../src/engine/accounts/accounts.ts'
import { createGate, type Gate, type GateParts } from '../../src/engine/gate/gate.ts'
import { unlimited } from '../../src/engine/gate/limits.ts'
import type { AuditLog } from '../../src/ports/audit-log.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'

const MAIL = 'From: Ana <ana@home.example>\r\nSubject: canary-subject\r\n\r\ncanary-body\r\n'

let directory: string
let source: MailSource
let parts: GateParts
let uidvalidity: number

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postern-gate-'))
  const log = createLog({ level: 'silent' })
  const local = createLocalSource({ path: join(directory, 'mail.db'), account: 'default', databases: databaseFiles })
  const filed = { mailbox: 'INBOX', bytes: new TextEncoder().encode(MAIL), flags: [], received: 1_700_000_000 }
  await local.appendMany([filed], undefined, new AbortController().signal)
  await local.createMailbox('Archive')
  source = local
  parts = {
    accounts: new Accounts([{ id: 'default', host: 'local', port: 0, secure: true, provider: 'local', source }]),
    content: createContentReader(log),
    files: createAttachmentFiles({ directory: join(directory, 'attachments') }),
    transfers: { carry: async () => [], find: async () => undefined },
    outbox: {
      send: async () => ({ kind: 'held_back' }),
      heldBack: async () => true,
      noteReading: async () => undefined,
      noteLeaving: async () => undefined,
    },
    seal: createSeal({ directory }),
    clock: systemClock,
    audit: createAuditLog({ directory: join(directory, 'audit'), clock: systemClock, log }),
    limits: unlimited,
    log,
    deadlineMs: 10_000,
  }
  uidvalidity = (await source.find('INBOX', { criteria: {}, take: 1 }, new AbortController().signal)).uidvalidity
})

afterEach(async () => {
  await Promise.all([source.close(), parts.content.close(), parts.audit.close()])
  rmSync(directory, { recursive: true, force: true })
})

const message = () => ({ account: 'default', mailbox: 'INBOX', uidvalidity, uid: 1 })
const read = (): ActionOf<'read_message'> => ({
  kind: 'read_message',
  message: message(),
  needs: 'ENVELOPE',
  depth: 'FULL',
  bodyChars: 1000,
  html: false,
  attachmentChars: undefined,
})
const remove = (): ActionOf<'delete_message'> => ({ kind: 'delete_message', message: message() })
const caller = (policy: Policy): Caller => ({ id: 'tester', address: 'stdio', policy })

function run<K extends ActionKind>(
  action: ActionOf<K>,
  policy = ownerPolicy(true),
  gate: Gate = createGate(parts),
): Promise<Outcome<K>> {
  const { signal } = new AbortController()
  return gate.run<K>({ caller: caller(policy), tool: 'a_tool', action, folders: 'names', signal })
}

function records(): Record<string, unknown>[] {
  const audit = join(directory, 'audit')
  const days = readdirSync(audit).filter((file) => file.endsWith('.jsonl'))
  return days.flatMap((day) =>
    readFileSync(join(audit, day), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
}

async function stillThere(): Promise<boolean> {
  return (await source.find('INBOX', { criteria: {}, take: 1 }, new AbortController().signal)).total === 1
}

function withPolicy(ceiling: Level): Policy {
  const folder = compileFolder({ path: '**', mode: 'blacklist', default: ceiling, rules: [], capabilities: [] })
  return { ...ownerPolicy(false), folder: () => folder }
}

test('a read is answered and recorded, without a word of the mail', async () => {
  const outcome = await run(read())
  expect(outcome).toMatchObject({ kind: 'done', result: { subject: 'canary-subject', text: 'canary-body' } })
  expect(records()).toMatchObject([
    {
      caller_id: 'tester',
      caller_addr: 'stdio',
      tool: 'a_tool',
      args_summary: { account: 'default', folder: 'INBOX', uid: 1 },
      decision: 'ALLOW',
      reason: 'folder_default_applied',
      visibility_granted: 'FULL',
      result: 'OK',
      seq: 0,
    },
  ])
  expect(JSON.stringify(records())).not.toContain('canary')
})

test('a change has its intent on record before, and its end after', async () => {
  await run(remove())
  expect(records()).toMatchObject([
    { seq: 0, result: 'INTENT', decision: 'ALLOW' },
    { seq: 1, result: 'OK', intent_seq: 0 },
  ])
  expect(await stillThere()).toBe(false)
  expect((await verifyAuditDirectory(join(directory, 'audit'))).kind).toBe('intact')
})

test('a closed gate denies, does nothing, and is on record', async () => {
  const outcome = await run(remove(), ownerPolicy(false))
  expect(outcome).toMatchObject({ kind: 'denied', denial: { reason: 'capability_missing', missing: 'delete' } })
  expect(records()).toMatchObject([{ decision: 'DENY', reason: 'capability_missing', result: 'DENIED' }])
  expect(await stillThere()).toBe(true)
})

test('a caller over its limit is denied before anything is looked at', async () => {
  const gate = createGate({ ...parts, limits: { admit: async () => 1 } })
  expect(await run(read(), ownerPolicy(true), gate)).toMatchObject({
    kind: 'denied',
    denial: { reason: 'rate_limited' },
  })
})

test('what lies above the level granted does not leave, and is named in the record', async () => {
  const outcome = await run(read(), withPolicy('ENVELOPE'))
  expect(JSON.stringify(outcome)).not.toContain('canary-body')
  expect(outcome).toMatchObject({ kind: 'done', redacted: ['header', 'text', 'html', 'attachments'] })
  expect(records()).toMatchObject([{ redacted_fields: ['header', 'text', 'html', 'attachments'] }])
})

test('where nothing can be recorded, nothing is changed and nothing is told', async () => {
  const audit: AuditLog = {
    append: () => Promise.reject(new Failure('unavailable', 'the audit log cannot be written')),
    close: async () => {},
  }
  const gate = createGate({ ...parts, audit })
  expect(await run(remove(), ownerPolicy(true), gate)).toMatchObject({
    kind: 'failed',
    failure: { code: 'unavailable' },
  })
  expect(await stillThere()).toBe(true)
  const outcome = await run(read(), ownerPolicy(true), gate)
  expect(outcome.kind).toBe('failed')
  expect(JSON.stringify(outcome)).not.toContain('canary')
})

test('an audit directory that cannot be one stops changes', async () => {
  writeFileSync(join(directory, 'audit'), 'a file stands in its place')
  expect(await run(remove())).toMatchObject({ kind: 'failed', failure: { code: 'unavailable' } })
  expect(await stillThere()).toBe(true)
})

test('a change whose end cannot be recorded is not called undone', async () => {
  let appended = 0
  const audit: AuditLog = {
    append: async () => {
      appended += 1
      if (appended > 1) throw new Failure('unavailable', 'the disk is full')
      return { seq: 0 }
    },
    close: async () => {},
  }
  const outcome = await run(remove(), ownerPolicy(true), createGate({ ...parts, audit }))
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'outcome_unknown' } })
})

test('a tool set may have a deadline of its own', async () => {
  const set = { set: 'x', perMinute: 9, perHour: 9, perTool: {}, deadlineMs: 20 }
  const gate = createGate({ ...parts, limits: { admit: () => new Promise(() => undefined) } })
  const { signal } = new AbortController()
  const call = { caller: caller(ownerPolicy(true)), tool: 'a_tool', action: read(), folders: 'names', signal } as const
  expect(await gate.run<'read_message'>({ ...call, limits: set })).toMatchObject({
    kind: 'failed',
    failure: { code: 'timeout', message: expect.stringContaining('within its 0 s') },
  })
})

test('work that takes too long is told to stop, at the source', async () => {
  let reason: unknown
  const slow: MailSource = {
    ...source,
    open: (_at, _uid, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
          reject(signal.reason)
        })
      }),
  }
  const accounts = new Accounts([
    { id: 'default', host: 'local', port: 0, secure: true, provider: 'local', source: slow },
  ])
  const outcome = await run(read(), ownerPolicy(true), createGate({ ...parts, accounts, deadlineMs: 20 }))
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'timeout' } })
  expect(reason).toBeInstanceOf(Failure)
  expect(records()).toMatchObject([{ result: 'ERROR', error_type: 'timeout' }])
})

test('a caller who has left is not worked for', async () => {
  const gone = AbortSignal.abort()
  const outcome = await createGate(parts).run({
    caller: caller(ownerPolicy(true)),
    tool: 'a_tool',
    action: remove(),
    folders: 'names',
    signal: gone,
  })
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } })
  expect(await stillThere()).toBe(true)
})

test('a bug inside is told as one, in words of our own', async () => {
  const broken: MailSource = {
    ...source,
    open: async () => {
      throw new TypeError('canary-internal')
    },
  }
  const accounts = new Accounts([
    { id: 'default', host: 'local', port: 0, secure: true, provider: 'local', source: broken },
  ])
  const outcome = await run(read(), ownerPolicy(true), createGate({ ...parts, accounts }))
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'internal' } })
  expect(outcome.kind === 'failed' && outcome.failure.message).not.toContain('canary')
})

test('an account that does not exist is on record too', async () => {
  const action: Action = { kind: 'list_mailboxes', account: 'nowhere' }
  expect(await run(action)).toMatchObject({ kind: 'failed', failure: { code: 'not_found' } })
  expect(records()).toMatchObject([{ result: 'ERROR', error_type: 'not_found', args_summary: { account: 'nowhere' } }])
})
