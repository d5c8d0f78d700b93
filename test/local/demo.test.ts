/** The demo's messages in a local mailbox: listed, found in every language, with attachments that open. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { Criteria } from '../../src/core/criteria.ts'
import { decodeBase64 } from '../../src/core/mime/transfer.ts'
import { demoMessages } from '../../src/house/demo-mailbox.ts'

const DEMO = join(import.meta.dirname, '../../demo')
const never = new AbortController().signal
const directory = mkdtempSync(join(tmpdir(), 'postern-demo-test-'))
const source = createLocalSource({ path: join(directory, 'mail.db'), account: 'demo', databases: databaseFiles })

beforeAll(() => source.appendMany(demoMessages(DEMO, Date.UTC(2026, 4, 6)), undefined, never))
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
  const files = unzip(await attachment('Projects/Atlas', { subject: 'second issue', from: 'petra' }, '.zip'))
  expect([...files.keys()]).toEqual(['README.txt', 'costs.csv', 'stair.svg'])
  expect(files.get('costs.csv')).toContain('larch cladding,412,m2,389000')
})

/** The files of an archive by name, each checked against its sum: found as programs do, from the end backwards. */
function unzip(bytes: Uint8Array): Map<string, string> {
  const zip = Buffer.from(bytes)
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const files = new Map<string, string>()
  let entry = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    expect(zip.toString('latin1', entry, entry + 4)).toBe('PK\x01\x02')
    const nameSize = zip.readUInt16LE(entry + 28)
    const name = zip.toString('utf8', entry + 46, entry + 46 + nameSize)
    const local = zip.readUInt32LE(entry + 42)
    expect(zip.toString('latin1', local, local + 4)).toBe('PK\x03\x04')
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const packed = zip.subarray(start, start + zip.readUInt32LE(entry + 20))
    const content = zip.readUInt16LE(entry + 10) === 0 ? packed : inflateRawSync(packed)
    expect(crc32(content)).toBe(zip.readUInt32LE(entry + 16))
    files.set(name, content.toString('utf8'))
    entry += 46 + nameSize + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32)
  }
  return files
}
