/** Messages, their sources and their attachments as MCP resources. */
import type { ReadResourceResult } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import type { Message, Refusal } from './answers.ts'
import { type Stage, startStage, uidOf, uidvalidityOf } from './harness.ts'
import { attachment, mail, multipart, part } from './mail.ts'
import { refusalOf } from './postern.ts'

let stage: Stage
let uri: string
let raw: string
const file = Buffer.from(Array.from({ length: 700 }, (_, index) => index % 256))

beforeAll(async () => {
  stage = await startStage()
  raw = mail(
    ['Subject: parts', 'MIME-Version: 1.0'],
    multipart('mixed', part('text/plain', 'the text'), attachment('image/png', 'a.png', file)),
  )
  uri = await address('INBOX', raw)
})
afterAll(() => stage.close())

async function address(mailbox: string, message: string): Promise<string> {
  const [id = ''] = await stage.put(mailbox, [message])
  const uidvalidity = await uidvalidityOf(stage.ada, mailbox)
  return `imap://default/mailbox/${encodeURIComponent(mailbox)}/message/${uidvalidity}/${uidOf(id)}`
}

const read = (from: string): Promise<ReadResourceResult> => stage.postern.client.readResource({ uri: from })
const refused = (from: string): Promise<Refusal> => refusalOf(read(from))

test('a message is the JSON that imap_get_message shows', async () => {
  const { contents } = await read(uri)
  expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }])
  const [content] = contents
  const message: Message = JSON.parse(content !== undefined && 'text' in content ? content.text : '')
  const { data } = await stage.postern.call('imap_get_message', { message_id: message.message_id })
  expect(message).toEqual(data.message)
  expect(message).toMatchObject({ message_uri: uri, message_raw_uri: `${uri}/raw`, body_text: 'the text' })
})

test('a source is the bytes of the message', async () => {
  const { contents } = await read(`${uri}/raw`)
  const blob = Buffer.from(raw).toString('base64')
  expect(contents).toEqual([{ uri: `${uri}/raw`, mimeType: 'message/rfc822', blob }])
})

test('an attachment is its bytes, decoded', async () => {
  const { contents } = await read(`${uri}/attachment/2`)
  expect(contents).toEqual([{ uri: `${uri}/attachment/2`, mimeType: 'image/png', blob: file.toString('base64') }])
})

test.each(['Ordner/Ünïcode', 'a b', '100%', 'q?x=1#y', 'a:b:c', '50% off & more'])(
  'a mailbox is percent-encoded: %s',
  async (mailbox) => {
    const from = await address(mailbox, letter({ subject: mailbox }))
    const { data } = await stage.postern.call('imap_search_messages', { mailbox })
    expect(data.messages[0]?.message_uri).toBe(from)
    const [content] = (await read(from)).contents
    expect(content !== undefined && 'text' in content ? JSON.parse(content.text) : {}).toMatchObject({ mailbox })
  },
)

describe('what cannot be read', () => {
  const changed = (from: string | RegExp, to: string) => (): string => uri.replace(from, to)
  const rows: [why: string, uri: () => string, code: string][] = [
    ['another scheme', changed('imap:', 'http:'), 'invalid_input'],
    ['no message', changed(/\/message.*/, ''), 'invalid_input'],
    ['something behind it', () => `${uri}/more`, 'invalid_input'],
    ['a slash in the mailbox', changed('/INBOX/', '/IN/BOX/'), 'invalid_input'],
    ['a mailbox that is not UTF-8', changed('INBOX', '%ff'), 'invalid_input'],
    ['a mailbox beside the account', changed('://default/', '://default:Elsewhere/'), 'invalid_input'],
    ['a line break in the mailbox', changed('INBOX', 'INBOX%0d%0aA1%20LOGOUT'), 'invalid_input'],
    ['a uid that is none', changed(/\d+$/, 'x'), 'invalid_input'],
    ['an attachment that is no number', () => `${uri}/attachment/..`, 'invalid_input'],
    ['an unknown account', changed('//default/', '//nobody/'), 'not_found'],
    ['an unknown mailbox', changed('INBOX', 'Nowhere'), 'not_found'],
    ['an unknown uid', changed(/\d+$/, '4711'), 'not_found'],
    ['an unknown part', () => `${uri}/attachment/9`, 'not_found'],
    ['a part number that begins with 0', () => `${uri}/attachment/0`, 'not_found'],
    ['another uidvalidity', changed(/\/\d+\/(\d+)$/, '/7/$1'), 'conflict'],
  ]

  test.each(rows)('%s', async (_, from, code) => {
    expect((await refused(from())).data.code).toBe(code)
  })

  test('an attachment over 10 MB, which is not even begun', async () => {
    const large = mail(
      ['Subject: large'],
      multipart('mixed', attachment('video/mp4', 'f.mp4', Buffer.alloc(11_000_000))),
    )
    await stage.dovecot.deliver('ada', 'Large', [{ raw: large }])
    const { data } = await stage.postern.call('imap_search_messages', { mailbox: 'Large' })
    stage.proxy.forget()
    const refusal = await refused(`${data.messages[0]?.message_uri}/attachment/1`)
    expect(refusal).toMatchObject({ message: expect.stringContaining('larger than'), data: { code: 'invalid_input' } })
    expect(stage.proxy.received()).toBeLessThan(20_000)
  })
})

test('reading one is on record like a tool call', async () => {
  const { readdir, readFile } = await import('node:fs/promises')
  await read(`${uri}/attachment/2`)
  const dir = `${stage.postern.dataDir}/audit`
  const [day = ''] = (await readdir(dir)).filter((name) => name.endsWith('.jsonl'))
  const last = (await readFile(`${dir}/${day}`, 'utf8')).trimEnd().split('\n').at(-1) ?? ''
  expect(JSON.parse(last)).toMatchObject({
    tool: 'resources/read',
    args_summary: { account: 'default', folder: 'INBOX', part_id: '2' },
    result: 'OK',
  })
})
