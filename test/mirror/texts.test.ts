/** What a message can be found by is what a person would see of it, and no more than so much. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { chooseBodies } from '../../src/core/mime/bodies.ts'
import { readBody } from '../../src/engine/actions/message-body.ts'
import { subjectOf } from '../../src/engine/actions/message-header.ts'
import type { Workshop } from '../../src/engine/actions/workshop.ts'
import { liveText, readBodyText } from '../../src/engine/sync/read-texts.ts'
import type { ContentReader } from '../../src/ports/content-reader.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import { file, html, KINDS, message, plain, several } from './mail.ts'

const MAILBOX = 'INBOX'

let directory: string
let source: ReturnType<typeof createLocalSource>
let content: ContentReader

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postern-texts-'))
  source = createLocalSource({ path: join(directory, 'mail.db'), account: 'me', databases: databaseFiles })
  content = createContentReader(silentLog)
})

afterAll(async () => {
  await Promise.all([source.close(), content.close()])
  await rm(directory, { recursive: true })
})

async function placed(raw: string) {
  const at = await source.append(MAILBOX, { bytes: Buffer.from(raw), flags: [] }, never())
  if (at === undefined) throw new Error('the message has no place')
  const where = { mailbox: MAILBOX, uidvalidity: at.uidvalidity }
  return { where, opened: await source.open(where, at.uid, never()) }
}

async function textOf(raw: string) {
  const { where, opened } = await placed(raw)
  return liveText({ source }, where, opened, { content, log: silentLog }, never())
}

describe.each(KINDS)('$name', ({ raw, body, uncertain, attachments = [] }) => {
  test('is found by what a person sees', async () => {
    const text = await textOf(raw)
    expect(text.body.trim()).toBe(body)
    expect(text.uncertain).toBe(uncertain)
    expect(text.attachments.map((one) => attachments.find((word) => one.includes(word)))).toEqual(attachments)
    expect(JSON.stringify(text)).not.toMatch(/secretly|unseen/)
  })

  test('reads as it does when it is shown', async () => {
    const { where, opened } = await placed(raw)
    const bodies = chooseBodies(opened.structure)
    const wanted = bodies
      .flatMap(({ plain, html }) => [...plain, ...html])
      .map(({ id, size }) => ({ id, maxBytes: Math.max(size, 65_536) }))
    const parts = wanted.length === 0 ? [] : await source.parts(where, opened.uid, wanted, never())
    const action = { bodyChars: 65_536, html: false } as Parameters<typeof readBody>[2]
    const workshop = { content, signal: never() } as Workshop
    const byId = new Map(parts.map((part) => [part.id, part]))
    const { shown } = await readBody({ bodies, subject: subjectOf(opened.header) }, byId, action, workshop)
    const at = { ...where, uid: opened.uid }
    expect((await readBodyText({ source }, at, { content, signal: never() })).text).toBe(shown.text ?? '')
  })
})

const PICTURE = `<img alt="" src="data:image/png;base64,${'iVBORw0K'.repeat(250_000)}">`

test.each([
  ['a long text', plain(`${'first '.repeat(20_000)}last`)],
  ['a long page', html(`${'<p style="color: #333333">first</p>'.repeat(5_000)}<p>last</p>`)],
  ['a page with a picture of two megabytes in it', html(`<p>first</p>${PICTURE}<p>last</p>`)],
  ['a page after an empty text', several('mixed', plain(''), html(`<p>first</p>${PICTURE}<p>last</p>`))],
  ['several texts', several('mixed', plain('first'), html('<p>second</p>'), plain('last'))],
])('the end of %s is searched', async (name, piece) => {
  const { body, partial } = await textOf(message(name, piece))
  expect(body).toMatch(/^first/)
  expect(body).toMatch(/last$/)
  expect(partial).toBe(false)
})

test('of a very long text one mebibyte is searched, and that it goes on is known', async () => {
  const { body, partial } = await textOf(message('very long', plain(`${'first '.repeat(200_000)}last`)))
  expect(body.length).toBe(1024 * 1024)
  expect(partial).toBe(true)
})

test('a text that goes on where its server says that it ends is read to its end', async () => {
  const { where, opened } = await placed(message('too long', plain(`${'first '.repeat(20_000)}last`)))
  const structure = { ...opened.structure, size: 10 }
  const { body } = await liveText({ source }, where, { ...opened, structure }, { content, log: silentLog }, never())
  expect(body).toMatch(/last$/)
})

test('a file that is too large is not even fetched, and those behind it are', async () => {
  const large = file('text/plain', 'a.txt', Buffer.from('magpie '.repeat(600_000)))
  const small = file('text/plain', 'b.txt', Buffer.from('nuthatch'))
  const text = await textOf(message('large', several('mixed', plain('two files'), large, small)))
  expect(text.attachments).toEqual(['nuthatch'])
})

test('a message that is gone has no text', async () => {
  const { where } = await placed(message('x', html('<p>x</p>')))
  const gone = await readBodyText({ source }, { ...where, uid: 9999 }, { content, signal: never() })
  expect(gone).toEqual({ text: '', uncertain: '', truncated: false, bytes: 0 })
})

test('whoever stops gets no empty text for it', async () => {
  const { where, opened } = await placed(message('y', html('<p>y</p>')))
  const stopping = new AbortController()
  stopping.abort()
  await expect(liveText({ source }, where, opened, { content, log: silentLog }, stopping.signal)).rejects.toMatchObject(
    { code: 'cancelled' },
  )
})
