/** The demo's messages in a local mailbox: listed, found in every language, with attachments that open. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import type { Criteria } from '../../src/core/criteria.ts'
import { decodeBase64 } from '../../src/core/mime/transfer.ts'
import { demoMessages } from '../../src/engine/demo/messages.ts'

const never = new AbortController().signal
const directory = mkdtempSync(join(tmpdir(), 'postern-demo-test-'))
const source = createLocalSource({ path: join(directory, 'mail.db'), account: 'demo' })

beforeAll(() => source.appendMany([...demoMessages(Date.UTC(2026, 4, 6))], undefined, never))
afterAll(async () => {
  await source.close()
  rmSync(directory, { recursive: true })
})

function find(mailbox: string, criteria: Criteria) {
  return source.find(mailbox, { criteria, take: 50 }, never)
}

/** The decoded attachment whose name ends like this, of the one message that is found. */
async function attachment(mailbox: string, criteria: Criteria, ending: string): Promise<Uint8Array> {
  const { uids, uidvalidity } = await find(mailbox, criteria)
  const [uid = 0] = uids
  const { structure } = await source.open({ mailbox, uidvalidity }, uid, never)
  const id = structure.children.find(({ filename }) => filename?.endsWith(ending))?.id ?? 'none'
  const [part] = await source.parts({ mailbox, uidvalidity }, uid, [{ id, maxBytes: 1e6 }], never)
  return decodeBase64(part?.bytes ?? new Uint8Array())
}

test('its mailboxes have their roles', async () => {
  const roles = (await source.mailboxes(never)).map(({ name, role, selectable }) => [name, role ?? '', selectable])
  expect(roles).toContainEqual(['Sent', 'sent', true])
  expect(roles).toContainEqual(['Spam', 'junk', true])
  expect(roles).toContainEqual(['Projects', '', false])
})

test.each([
  ['Projects/Atlas', { text: 'DACHÖFFNUNGEN' }, 2],
  ['INBOX', { text: 'ÉCHANTILLONS DE PAPIER' }, 2],
  ['INBOX', { text: '桐材' }, 1],
  ['INBOX', { text: '青檀皮' }, 1],
  ['INBOX', { text: 'الإدريسي' }, 2],
  ['INBOX', { text: 'ביצים' }, 1],
  ['INBOX', { text: 'केतली' }, 1],
  ['INBOX', { text: 'ПОВАРА' }, 1],
  ['INBOX', { text: 'نستعلیق' }, 1],
  ['INBOX', { from: '水瀬' }, 2],
  ['INBOX', { subject: 'лоция' }, 1],
])('in %s, %j finds %d', async (mailbox, criteria, total) => {
  expect((await find(mailbox, criteria)).total).toBe(total)
})

test('a PDF in it opens and has text', async () => {
  const pdf = await getDocumentProxy(
    await attachment('Projects/Atlas', { subject: 'minutes of', from: 'wilma' }, '.pdf'),
  )
  expect((await extractText(pdf, { mergePages: true })).text).toContain('Budget: 14.2 million SEK')
})

test('a ZIP in it opens', async () => {
  const files = unzipSync(await attachment('Projects/Atlas', { subject: 'second issue', from: 'petra' }, '.zip'))
  expect(Object.keys(files)).toEqual(['README.txt', 'costs.csv', 'stair.svg'])
})
