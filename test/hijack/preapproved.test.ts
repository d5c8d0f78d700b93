/** Letters that were free when they were asked for, and could not leave at once: which of them leaves would tell what was read since. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createReadNotes } from '../../src/adapters/outbox/read-notes.ts'
import { createOutboxStore } from '../../src/adapters/outbox/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { createVault } from '../../src/adapters/vault/vault.ts'
import { unjudged } from '../../src/core/outbox/html-review.ts'
import type { Sending } from '../../src/core/outbox/sending.ts'
import { SEND_DEFAULTS, sendRules } from '../../src/core/policy/sending.ts'
import type { Account } from '../../src/engine/accounts/accounts.ts'
import { Accounts } from '../../src/engine/accounts/accounts.ts'
import { Outbox } from '../../src/engine/outbox/outbox.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { newSending } from '../outbox-store/letters.ts'

const HOUR = 60 * 60 * 1000
const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

function scene() {
  const directory = mkdtempSync(join(tmpdir(), 'pre-'))
  let now = Date.UTC(2026, 4, 6)
  const sent: string[] = []
  const account = {
    id: 'work',
    filesSent: true,
    source: { mailboxes: async () => [] },
    sender: {
      send: async ({ bytes }: { readonly bytes: Uint8Array }) => {
        sent.push(Buffer.from(bytes).toString())
        return { refused: [] }
      },
      close: async () => undefined,
    },
  } as unknown as Account
  const store = createOutboxStore({ path: join(directory, 'outbox.db'), locks: fileLocks, databases: databaseFiles })
  const notes = createReadNotes({ path: join(directory, 'reads.db'), databases: databaseFiles })
  onTestFinished(async () => {
    await Promise.all([store.close(), notes.close()])
    rmSync(directory, { recursive: true, force: true })
  })
  const outbox = new Outbox({
    store,
    notes,
    accounts: new Accounts([account]),
    vault: createVault({ directory: join(directory, 'vault') }),
    clock: { now: () => now, elapsed: () => now },
    audit: { append: async () => ({ seq: 0 }) } as never,
    log: silentLog,
    devMode: false,
    digest: sha256,
    newId: randomUUID,
    review: async (html) => unjudged(html),
    safeHtml: async (html) => html,
    limit: { most: 1, lengthMs: HOUR },
  })
  const send = (sending: Sending, rules: Partial<Parameters<typeof sendRules>[0]> = {}) => {
    const bytes = Buffer.from(`From: ${sending.from.address}\r\nSubject: ${sending.subject.slice(-36)}\r\n\r\n`)
    const all = sendRules({ ...SEND_DEFAULTS, approval: 'flow', requireDigest: false, ...rules })
    const request = { sending, messageId: `<${randomUUID()}@x>`, bytes, account, rules: all, taken: [] }
    return outbox.send(request, new AbortController().signal)
  }
  return {
    sent,
    send,
    later: (ms: number): void => {
      now += ms
    },
    read: (readers: readonly string[]) => outbox.noteReading('local', [{ account: 'work', readers }]),
  }
}

test('a letter that had to wait for its turn is judged by what was read until then', async () => {
  const { sent, send, later, read } = scene()
  const [first, zero, one] = [newSending(), newSending({ text: '0' }), newSending({ text: '1' })]
  expect(await send(first)).toMatchObject({ kind: 'sent' })
  expect([(await send(zero)).kind, (await send(one)).kind]).toEqual(['limited', 'limited'])
  await read(['carol@partner.example'])
  later(2 * HOUR)
  expect((await send(one)).kind).toBe('waiting')
  expect(sent).toHaveLength(1)
})

test('where nothing else was read, its turn comes', async () => {
  const { sent, send, later } = scene()
  const waiting = newSending()
  await send(newSending())
  expect((await send(waiting)).kind).toBe('limited')
  later(2 * HOUR)
  expect((await send(waiting)).kind).toBe('sent')
  expect(sent).toHaveLength(2)
})

test('a policy that has become stricter counts for letters that it had let go', async () => {
  const { sent, send, later } = scene()
  const waiting = newSending()
  await send(newSending(), { approval: 'never' })
  expect((await send(waiting, { approval: 'never' })).kind).toBe('limited')
  later(2 * HOUR)
  expect((await send(waiting, { approval: 'always' })).kind).toBe('waiting')
  expect(sent).toHaveLength(1)
})
