/**
 * Calls to mail servers that hang, drip or never answer: each ends by its deadline, says what is true, and holds up no call to
 * another account.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createAttachmentFiles } from '../../src/adapters/attachments/attachment-files.ts'
import { createAuditLog } from '../../src/adapters/audit/audit-log.ts'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { createSeal } from '../../src/adapters/seal/seal.ts'
import type { Action, ActionOf } from '../../src/core/action.ts'
import type { Outcome } from '../../src/core/call/outcome.ts'
import { ownerPolicy } from '../../src/core/policy/policy.ts'
import { type Account, Accounts } from '../../src/engine/accounts/accounts.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { createGate, type Gate, type GateParts } from '../../src/engine/gate/gate.ts'
import { unlimited } from '../../src/engine/gate/limits.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { createDraft } from '../../src/surfaces/tools/policy/create-draft.ts'
import { move } from '../../src/surfaces/tools/policy/move.ts'
import type { AnyTool } from '../../src/surfaces/tools/tool.ts'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type OtherClient, otherClient } from '../dovecot/other-client.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { type ScriptedServer, startScripted } from '../imap-adapter/scripted-server.ts'
import { letter } from '../mail-source/messages.ts'
import { type FaultProxy, startFaultProxy } from '../transfer/fault-proxy.ts'

const PASSWORD = 'correct horse'
/** Of one call; the servers themselves would be waited for far longer. */
const DEADLINE_MS = 1500

let dovecot: Dovecot
let other: OtherClient
let proxy: FaultProxy
let dripping: ScriptedServer
let sources: MailSource[]
let directory: string
let parts: GateParts

beforeAll(async () => {
  dovecot = await startDovecot({ users: { ada: PASSWORD } })
  other = await otherClient(dovecot.port, 'ada', PASSWORD)
  await other.imap.mailboxCreate('Archive')
  await other.imap.mailboxCreate('Drafts')
})
afterAll(async () => {
  await other.close()
  await dovecot.stop()
})

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postern-hung-'))
  proxy = await startFaultProxy(dovecot.port)
  // Never silent, and never done: each byte would be a reason to wait for the next.
  dripping = await startScripted(({ socket }) => {
    const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('*')), 20)
    return ''
  })
  const imap = (port: number): MailSource => {
    const server = { host: '127.0.0.1', port, tls: 'none', user: 'ada', socketTimeoutMs: 600_000 } as const
    return createImapSource({ account: 'one', ...server, access: fixedPassword(PASSWORD) }, silentLog)
  }
  const [good, faulty] = [imap(dovecot.port), imap(proxy.port)]
  sources = [good, faulty]
  const account = (id: string, source: MailSource): Account => ({
    ...{ id, host: '127.0.0.1', port: 0, secure: false, provider: 'imap-standard', source },
  })
  parts = {
    accounts: new Accounts([account('good', good), account('faulty', faulty), account('dripping', dripping.source)]),
    content: createContentReader(silentLog),
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
    audit: createAuditLog({ directory: join(directory, 'audit'), clock: systemClock, log: silentLog }),
    limits: unlimited,
    log: silentLog,
    deadlineMs: DEADLINE_MS,
  }
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([...sources.map((source) => source.close()), parts.content.close(), parts.audit.close()])
  await Promise.all([proxy.close(), dripping.stop()])
  rmSync(directory, { recursive: true, force: true })
})

function run(action: Action, gate: Gate = createGate(parts), signal = new AbortController().signal): Promise<Outcome> {
  const caller = { id: 'tester', address: 'stdio', policy: ownerPolicy(true) }
  return gate.run({ caller, tool: 'a_tool', action: action as ActionOf<'list_mailboxes'>, folders: 'names', signal })
}

/** What the caller of a tool is told. */
async function answer(tool: AnyTool, input: unknown): Promise<Readonly<Record<string, unknown>>> {
  const { action, render } = tool.prepare(tool.input.parse(input))
  const told = render(await run(action))
  if (told.kind !== 'json') throw new Error(`not an answer in JSON: ${JSON.stringify(told)}`)
  return told.value
}

function records(): readonly Readonly<Record<string, unknown>>[] {
  const audit = join(directory, 'audit')
  const days = readdirSync(audit).filter((file) => file.endsWith('.jsonl'))
  return days
    .flatMap((day) => readFileSync(join(audit, day), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
}

const list = (account: string): Action => ({ kind: 'list_mailboxes', account })

test('a good account answers while many calls hang on a dripping server', async () => {
  const gate = createGate({ ...parts, deadlineMs: 600_000 })
  const leaving = new AbortController()
  const hanging = Array.from({ length: 29 }, () => run(list('dripping'), gate, leaving.signal))
  await vi.waitFor(() => expect(dripping.commands.length).toBeGreaterThan(0))
  expect(await run(list('good'), gate)).toMatchObject({ kind: 'done' })
  leaving.abort()
  for (const outcome of await Promise.all(hanging)) {
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } })
  }
})

test('calls to a dripping server end by their deadline, those too that waited for their turn', async () => {
  const gate = createGate(parts)
  const outcomes = await Promise.all(Array.from({ length: 29 }, () => run(list('dripping'), gate)))
  for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'timeout' } })
  expect(records()).toHaveLength(29)
})

test('a draft that is stored and never confirmed: nobody knows, and that is said', async () => {
  proxy.plan({ at: ({ name }) => name === 'APPEND', fault: { kind: 'mute' } })
  const asked = { account: 'faulty', folder: 'Drafts', rfc822: 'Subject: hello\n\nbody\n' }
  expect(await answer(createDraft, asked)).toMatchObject({
    result: 'ERROR',
    error_type: 'target_append_timeout',
    message: expect.stringMatching(/no answer came back; look before doing it again/),
  })
  expect(records()).toMatchObject([{ result: 'INTENT' }, { result: 'ERROR', error_type: 'outcome_unknown' }])
  const { messages } = (await other.imap.status('Drafts', { messages: true })) as { messages: number }
  expect(messages).toBe(1)
})

test('a move that is made and never confirmed: nobody knows, and that is said', async () => {
  const [uid = 0] = await other.seed('INBOX', [{ raw: letter({ subject: 'to move' }) }])
  proxy.plan({ at: ({ name }) => name === 'UID MOVE', fault: { kind: 'mute' } })
  const target = { account: 'faulty', folder: 'Archive' }
  expect(await answer(move, { source: { account: 'faulty', folder: 'INBOX', uid }, target })).toMatchObject({
    result: 'ERROR',
    error_type: 'timeout',
    message: expect.stringMatching(/no answer came back; look before doing it again/),
  })
  const { messages } = (await other.imap.status('Archive', { messages: true })) as { messages: number }
  expect(messages).toBe(1)
})

test.each([
  ['never answers', { kind: 'stall' }],
  ['hangs up inside its literal', { kind: 'cut' }],
  ['resets the connection', { kind: 'reset' }],
  ['says NO [SERVERBUG]', { kind: 'say', words: 'NO [SERVERBUG] oops' }],
  ['says NO [UNAVAILABLE]', { kind: 'say', words: 'NO [UNAVAILABLE] busy' }],
] as const)('a draft for a server that %s is no message that could not be fetched', async (_what, fault) => {
  proxy.plan({ at: ({ name }) => name === 'APPEND', fault })
  const body = 'x'.repeat(100_000)
  const asked = { account: 'faulty', folder: 'Drafts', rfc822: `Subject: hello\n\n${body}\n` }
  const { result, error_type } = await answer(createDraft, asked)
  expect(result).toBe('ERROR')
  expect(['append_failed', 'target_append_timeout']).toContain(error_type)
  if (fault.kind === 'say') expect(error_type).toBe('append_failed')
})

/** A part that does not listen when it is told to stop. */
const deaf = (): Promise<never> => new Promise(() => undefined)

test('a read that does not notice its deadline is over all the same', async () => {
  const gate = createGate({ ...parts, limits: { admit: deaf } })
  expect(await run(list('good'), gate)).toMatchObject({ kind: 'failed', failure: { code: 'timeout' } })
  expect(records()).toMatchObject([{ result: 'ERROR', error_type: 'timeout' }])
})

test('a change that does not notice its deadline may have been made', async () => {
  const outbox = { ...parts.outbox, noteLeaving: deaf }
  const action: Action = {
    kind: 'create_draft',
    account: 'good',
    mailbox: 'Drafts',
    bytes: Buffer.from('A: b\r\n\r\n'),
  }
  expect(await run(action, createGate({ ...parts, outbox }))).toMatchObject({
    kind: 'failed',
    failure: { code: 'outcome_unknown' },
  })
  expect(records()).toMatchObject([
    { result: 'INTENT' },
    { result: 'ERROR', error_type: 'outcome_unknown', intent_seq: 0 },
  ])
})

test('without a word about it, a call has a minute', async () => {
  const { deadlineMs: _none, ...usual } = parts
  const gate = createGate({ ...usual, limits: { admit: deaf } })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const outcome = run(list('good'), gate)
  await vi.advanceTimersByTimeAsync(60_000)
  vi.useRealTimers()
  expect(await outcome).toMatchObject({ kind: 'failed', failure: { code: 'timeout' } })
})
