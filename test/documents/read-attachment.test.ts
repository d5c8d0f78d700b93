/** One attachment out of a real local mailbox: its text, its size as a picture, and how large it may be. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createAttachmentFiles } from '../../src/adapters/attachments/attachment-files.ts'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { createSeal } from '../../src/adapters/seal/seal.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { ActionOf, ResultOf } from '../../src/core/action.ts'
import { Accounts } from '../../src/engine/accounts/accounts.ts'
import { readAttachment } from '../../src/engine/actions/read-attachment.ts'
import type { Workshop } from '../../src/engine/actions/workshop.ts'
import { ReadingOfCall } from '../../src/engine/outbox/reading.ts'
import { attachment, mail, multipart, part } from '../imap/mail.ts'
import { docx, paragraph, run } from './office.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000140000000c80806000000', 'hex')
const LETTER = docx(paragraph(run('a letter of some length'), run('SECRET', '<w:vanish/>')))
const RAW = mail(
  ['From: Ada <ada@example.org>', 'Subject: parts'],
  multipart(
    'mixed',
    part('text/plain', 'text'),
    attachment('application/octet-stream', 'a.docx', LETTER),
    attachment('image/png', 'a.png', PNG),
    attachment('application/octet-stream', 'b.docx', 'no document'),
    attachment('application/octet-stream', 'c.bin', 'just bytes'),
    part('application/octet-stream', Buffer.alloc(1000).toString('base64'), ['Content-Transfer-Encoding: base64']),
  ),
)
const ref = { account: 'default', mailbox: 'INBOX', uid: 1 }

let directory: string
let source: ReturnType<typeof createLocalSource>
let content: ReturnType<typeof createContentReader>
let workshop: Workshop

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postern-attachment-'))
  const { signal } = new AbortController()
  source = createLocalSource({ path: join(directory, 'mail.db'), account: 'default', databases: databaseFiles })
  const filed = { mailbox: 'INBOX', bytes: Buffer.from(RAW), flags: [], received: 1_700_000_000 }
  await source.appendMany([filed], undefined, signal)
  content = createContentReader({ debug() {}, info() {}, warn() {}, error() {} })
  const { uidvalidity } = await source.find('INBOX', { criteria: {}, take: 1 }, signal)
  workshop = {
    accounts: new Accounts([{ id: 'default', host: 'local', port: 0, secure: true, provider: 'local', source }])
      .current,
    content,
    files: createAttachmentFiles({ directory: join(directory, 'attachments') }),
    seal: createSeal({ directory }),
    clock: systemClock,
    opened: () => source.open({ ...ref, uidvalidity }, 1, signal),
    signal,
    reading: new ReadingOfCall(),
  } as unknown as Workshop
})
afterAll(async () => {
  await Promise.all([source.close(), content.close()])
  rmSync(directory, { recursive: true, force: true })
})

async function read(asked: Partial<ActionOf<'read_attachment'>>): Promise<ResultOf<'read_attachment'>> {
  const { uidvalidity } = await source.find('INBOX', { criteria: {}, take: 1 }, workshop.signal)
  const message = { ...ref, uidvalidity }
  return readAttachment(
    { kind: 'read_attachment', message, part: '2', inlineBytes: undefined, ...asked },
    workshop,
    'FULL',
  )
}

test('has no text unless it is asked for', async () => {
  const found = await read({})
  expect(found).toMatchObject({ filename: 'a.docx', size: LETTER.length })
  expect(Object.keys(found)).not.toContain('text')
})

test('has the visible text of a document, as much as is wanted', async () => {
  const warnings = [{ kind: 'hidden_text_removed', count: 1 }]
  expect(await read({ readable: 100 })).toMatchObject({
    text: 'a letter of some length',
    textTruncated: false,
    warnings,
  })
  expect(await read({ readable: 8 })).toMatchObject({ text: 'a letter', textTruncated: true })
})

test('has the size of a picture', async () => {
  expect(await read({ part: '3', readable: 100 })).toMatchObject({ image: { width: 320, height: 200 } })
})

test('is handed out where it cannot be read', async () => {
  for (const [id, text] of [
    ['4', 'no document'],
    ['5', 'just bytes'],
  ]) {
    const found = await read({ part: id, readable: 100 })
    expect(Buffer.from(found.bytes).toString()).toBe(text)
    expect(found).not.toHaveProperty('text')
    expect(found).not.toHaveProperty('image')
  }
})

test('that is too large is not downloaded', async () => {
  const parts = vi.spyOn(source, 'parts')
  try {
    await expect(read({ mostBytes: 100 })).rejects.toMatchObject({ code: 'too_large' })
    expect(parts).not.toHaveBeenCalled()
  } finally {
    parts.mockRestore()
  }
  expect(await read({ mostBytes: LETTER.length })).toMatchObject({ size: LETTER.length })
})

test('that turns out to be too large is not handed out', async () => {
  // Its lines are not broken, so that its size promises a little less than it holds.
  await expect(read({ part: '6', mostBytes: 999 })).rejects.toMatchObject({ code: 'too_large' })
  expect(await read({ part: '6', mostBytes: 1000 })).toMatchObject({ size: 1000 })
})
