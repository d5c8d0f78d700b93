/** What the tests of the outbox share: a file of their own, stores on it, and processes. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createOutboxStore } from '../../src/adapters/outbox/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { OutboxEntry } from '../../src/core/outbox/entry.ts'
import type { OutboxStore } from '../../src/ports/outbox-store.ts'
import { approvalAt, bytesOf, NOW, newEntry } from './letters.ts'

export const MANY_PENDING = { messages: 1_000_000, bytes: 1_000_000_000 }

export function newPath(name = 'outbox.db'): string {
  const home = mkdtempSync(join(tmpdir(), 'outbox-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return join(home, 'state', name)
}

export function openStore(path = newPath(), now = NOW): OutboxStore {
  const store = createOutboxStore({ path, locks: fileLocks, databases: databaseFiles, now: () => now })
  onTestFinished(() => store.close())
  return store
}

export async function queued(store: OutboxStore, entry = newEntry()): Promise<OutboxEntry> {
  const done = await store.queue(entry, bytesOf(entry.id), MANY_PENDING)
  if (done.kind === 'full') throw new Error('there is no room for it')
  return done.entry
}

export async function approved(store: OutboxStore, entry = newEntry()): Promise<OutboxEntry> {
  const { id } = await queued(store, entry)
  return store.record(id, { kind: 'approve', approval: approvalAt(entry.created) })
}

export function startNode(file: string, ...words: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
  const saying = (count: number) => expect.poll(() => said.length).toBeGreaterThanOrEqual(count)
  return { child, said, saying }
}
