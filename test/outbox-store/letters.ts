/** Letters to put into the outbox, for the tests and for the processes they start. */
import { createHash, randomUUID } from 'node:crypto'
import type { Approval, OutboxEntry } from '../../src/core/outbox/entry.ts'
import { canonicalSending, type Sending } from '../../src/core/outbox/sending.ts'

export const NOW = Date.parse('2026-05-06T10:00:00.000Z')
export const HOUR = 60 * 60 * 1000
export const DAY = 24 * HOUR

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const person = (address: string) => ({ name: '', address })

export function newSending(more: Partial<Sending> = {}): Sending {
  return {
    kind: 'send',
    caller: 'local',
    account: 'work',
    from: person('me@example.org'),
    to: [person('ada@example.org')],
    cc: [],
    bcc: [],
    subject: `Ünïque ${randomUUID()}`,
    text: 'Hello\n',
    html: undefined,
    attachments: [],
    thread: undefined,
    ...more,
  }
}

export function newEntry(more: Partial<Sending> = {}, created = NOW): OutboxEntry {
  const sending = newSending(more)
  const id = randomUUID()
  return {
    id,
    digest: sha256(canonicalSending(sending)),
    sending,
    messageId: `<${id}@example.org>`,
    bytesDigest: sha256(bytesOf(id)),
    marks: [{ address: 'ada@example.org', mark: 'new' }],
    created,
    expires: created + DAY,
    state: { kind: 'waiting' },
  }
}

export function bytesOf(id: string): Uint8Array {
  return Buffer.from(`Subject: ${id}\r\n\r\n\0\xff`, 'latin1')
}

export function approvalAt(at = NOW): Approval {
  return { via: 'command', by: 'anna', at }
}
