/** Whatever strings a message is made of: it goes to exactly its recipients, or nothing is sent. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressField, textField } from '../../src/core/compose/header-lines.ts'
import { strictAddress } from '../../src/core/compose/strict-address.ts'
import { Failure } from '../../src/core/failure.ts'
import type { MailSender, OutgoingMail } from '../../src/ports/mail-sender.ts'
import { closeSenders, FROM, letter, send, sender, TO } from './desk.ts'
import { type SmtpProxy, startProxy } from './proxy.ts'
import { type Sink, startSink } from './sink.ts'

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/generated_arguments.json')
const EVIL = 'drop@evil.example'
const OWN = [
  `${TO}>\r\nRCPT TO:<${EVIL}`,
  `${TO}> NOTIFY=NEVER ORCPT=rfc822;${EVIL}`,
  `${TO},${EVIL}`,
  `@evil.example:${TO}`,
  `<${EVIL}>`,
  `group: ${EVIL};`,
  `"${EVIL}"@example.com`,
  `"a\\"b>@evil.example"@example.com`,
  `${TO} (${EVIL})`,
  `=?utf-8?q?${EVIL}?= <${TO}>`,
  `${TO}\u0000`,
  `${TO}\u2028${EVIL}`,
  `ｂob@example.com`,
  `bob@example.com\u200b`,
  'bob@exämple.com',
  '',
  ' ',
]

let sink: Sink
let proxy: SmtpProxy
let by: MailSender
beforeAll(async () => {
  sink = await startSink()
  proxy = await startProxy(sink.port)
  by = sender(proxy.port)
})
afterAll(async () => {
  await closeSenders()
  await proxy.close()
  await sink.close()
})

function strings(): string[] {
  if (!existsSync(CORPUS)) {
    console.warn('no corpus beside the project: only our own list of hostile texts is tried')
    return OWN
  }
  const found = stringsIn(JSON.parse(readFileSync(CORPUS, 'utf8')))
  return [...new Set([...OWN, ...found, ...found.map((text) => `${TO}${text}`)])]
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Every place where a string can get into what is handed to a sender. */
const PLACES: Record<string, (text: string) => OutgoingMail> = {
  'as a recipient': (text) => letter({ recipients: [text] }),
  'as one more recipient': (text) => letter({ recipients: [TO, text] }),
  'as the sender': (text) => letter({ from: text }),
  'in To as it is': (text) => letter({ to: text }),
  'in To and among the recipients': (text) => letter({ to: text, recipients: [TO, text] }),
  'behind To as it is': (text) => letter({ to: `${TO}${text}` }),
  'in the body as it is': (text) => letter({ body: `${text}\r\n` }),
  'as all of the message': (text) => letter({ bytes: new TextEncoder().encode(text) }),
  'as a field before all others': (text) => {
    const { bytes, ...rest } = letter()
    return { ...rest, bytes: Buffer.concat([Buffer.from(`${text}\r\n`), bytes]) }
  },
}

/** As a message is written from it: the addresses read strictly, the rest encoded. */
function written(text: string): OutgoingMail {
  const to = strictAddress(text, 'to')
  return writtenFrom(addressField('To', [to]), 'A letter', [to.address])
}

function writtenFrom(to: string, subject: string, recipients: readonly string[]): OutgoingMail {
  const lines = [`From: ${FROM}`, to, textField('Subject', subject), '', 'Hello', '']
  return { from: FROM, recipients, bytes: new TextEncoder().encode(lines.join('\r\n')) }
}

async function attempt(make: () => OutgoingMail): Promise<'sent' | 'refused'> {
  const before = { bytes: proxy.sent().length, messages: sink.messages.length }
  let mail: OutgoingMail | undefined
  try {
    mail = make()
    await send(by, mail)
  } catch (error) {
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({ code: 'invalid_input' })
    // Not a byte was sent.
    expect(proxy.sent().length).toBe(before.bytes)
    expect(sink.messages).toHaveLength(before.messages)
    return 'refused'
  }
  const { from, recipients, bytes } = mail
  const arrived = sink.messages.slice(before.messages)
  expect(arrived).toMatchObject([{ from, recipients }])
  expect(arrived[0]?.bytes.equals(bytes)).toBe(true)
  const [commands = ''] = proxy.sent().slice(before.bytes).split('\r\nDATA\r\n')
  const expected = [`MAIL FROM:<${from}>`, ...recipients.map((address) => `RCPT TO:<${address}>`)]
  expect(commands.split('\r\n')).toEqual(expected)
  return 'sent'
}

test.each(Object.entries(PLACES))('%s', async (_, make) => {
  // The connection is open, so that what crosses it is only the message.
  await send(by)
  const endings = []
  for (const text of strings()) endings.push(await attempt(() => make(text)))
  expect(endings).toContain('refused')
})

test('read strictly and written', async () => {
  await send(by)
  for (const text of strings()) await attempt(() => written(text))
  expect(await attempt(() => written(`"${EVIL}" <${TO}>`))).toBe('sent')
})

test('as a name or a subject that is written goes out, and to nobody else', async () => {
  await send(by)
  const whole = strings().filter((text) => text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text))
  for (const text of whole) {
    const to = addressField('To', [{ name: text.slice(0, 200).trim(), address: TO }])
    expect(await attempt(() => writtenFrom(to, text, [TO]))).toBe('sent')
  }
})

test('nobody else was ever named', () => {
  const known = new Set([TO, ...strings().flatMap((text) => addressOf(text))])
  expect(sink.named.filter((address) => !known.has(address))).toEqual([])
})

function addressOf(text: string): string[] {
  try {
    return [strictAddress(text, 'it').address]
  } catch {
    return []
  }
}
