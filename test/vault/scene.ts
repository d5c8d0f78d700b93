/** What the tests of the vault share: a directory of their own and files in it. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createVault } from '../../src/adapters/vault/vault.ts'
import type { OutboxEntry } from '../../src/core/outbox/entry.ts'
import { canonicalSending, type Sending } from '../../src/core/outbox/sending.ts'
import type { Vault, VaultFolder } from '../../src/ports/vault.ts'

export const NOW = Date.parse('2026-05-06T10:00:00.000Z')
export const HOUR = 60 * 60 * 1000

export interface Place {
  readonly root: string
  readonly vault: Vault
  path(folder: VaultFolder, file: string): string
  put(folder: VaultFolder, file: string, text: string, changed?: number): void
  read(folder: VaultFolder, file: string): string
  list(folder: VaultFolder): readonly string[]
}

export function newPlace(): Place {
  const home = mkdtempSync(join(tmpdir(), 'vault-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const root = join(home, 'vault')
  const path = (folder: VaultFolder, file: string): string => join(root, folder, file)
  return {
    root,
    vault: createVault({ directory: root }),
    path,
    put(folder, file, text, changed = NOW) {
      mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
      writeFileSync(path(folder, file), text)
      utimesSync(path(folder, file), changed / 1000, changed / 1000)
    },
    read: (folder, file) => readFileSync(path(folder, file), 'utf8'),
    list: (folder) => readdirSync(join(root, folder)),
  }
}

export const person = (address: string) => ({ name: '', address })

export function newEntry(more: Partial<Sending> = {}): OutboxEntry {
  const sending: Sending = {
    kind: 'send',
    caller: 'local',
    account: 'work',
    from: person('me@example.org'),
    to: [person('ada@example.org')],
    cc: [],
    bcc: [],
    subject: 'Lunch',
    text: 'Hello\n---\nstatus: rejected\n',
    html: undefined,
    attachments: [],
    thread: undefined,
    ...more,
  }
  return {
    id: randomUUID(),
    digest: createHash('sha256').update(canonicalSending(sending)).digest('hex'),
    sending,
    messageId: '<1@example.org>',
    bytesDigest: 'ab'.repeat(32),
    marks: [],
    created: NOW,
    expires: NOW + 24 * HOUR,
    state: { kind: 'waiting' },
  }
}

export const front = (...lines: readonly string[]): string => `---\n${lines.join('\n')}\n---\n\nHello\n`

export const byHand = (...lines: readonly string[]): string =>
  front('type: email_send', 'to: ada@example.org', 'status: approved', ...lines)
