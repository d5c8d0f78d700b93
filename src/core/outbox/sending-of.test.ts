import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Letter } from '../action.ts'
import { composeMessage, type Sheet } from '../compose/compose.ts'
import { canonicalSending } from './sending.ts'
import { sendingOf } from './sending-of.ts'

const hash = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
const LETTER: Letter = {
  to: ['Ada <ada@example.org>'],
  cc: ['b@x.org'],
  bcc: ['c@x.org'],
  subject: 's',
  body: 'text\n',
}
const ASKED = { caller: 'agent', account: 'work', thread: undefined }

function sheet(letter: Partial<Letter> = {}, more: Partial<Sheet> = {}): Sheet {
  const fixed = { from: 'me@example.com', date: 1_708_943_400, uniqueName: 'unique-name', original: undefined }
  return { ...fixed, letter: { ...LETTER, ...letter }, ...more }
}

test('all that was composed is in it', () => {
  const attachments = [{ filename: 'a/b.pdf', type: 'message/rfc822', bytes: Uint8Array.of(1, 2) }]
  const made = sendingOf(composeMessage(sheet({ html: '<p>text' }, { attachments })), ASKED, hash)
  expect(made).toEqual({
    kind: 'send',
    caller: 'agent',
    account: 'work',
    from: { name: '', address: 'me@example.com' },
    to: [{ name: 'Ada', address: 'ada@example.org' }],
    cc: [{ name: '', address: 'b@x.org' }],
    bcc: [{ name: '', address: 'c@x.org' }],
    subject: 's',
    text: 'text',
    html: '<p>text',
    attachments: [
      { filename: 'a_b.pdf', type: 'application/octet-stream', size: 2, digest: hash(Uint8Array.of(1, 2)) },
    ],
    thread: undefined,
  })
})

test('an answer holds its thread', () => {
  const header = [{ name: 'Message-ID', value: '<a@x>' }]
  const original = { header, received: 0, text: 'old', truncated: false }
  const made = sendingOf(composeMessage(sheet({}, { original })), { ...ASKED, thread: 't1' }, hash)
  expect([made.kind, made.thread]).toEqual(['reply', { id: 't1', inReplyTo: '<a@x>', references: ['<a@x>'] }])
  expect(made.text).toContain('> old')
})

test('the time and the unique name of a message make no difference to what is approved', () => {
  const canonical = (more: Partial<Sheet>): string =>
    canonicalSending(sendingOf(composeMessage(sheet({}, more)), ASKED, hash))
  expect(canonical({ date: 1, uniqueName: 'another-name' })).toBe(canonical({}))
  expect(canonical({ attachments: [{ filename: 'a', type: 'a/b', bytes: new Uint8Array() }] })).not.toBe(canonical({}))
})
