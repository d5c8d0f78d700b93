/** Sending through Gmail: what arrives, to whom, and what is known when something goes wrong on the way. */
import { readFile } from 'node:fs/promises'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGmailClient } from '../../src/adapters/gmail/client/client.ts'
import { createGmailSender } from '../../src/adapters/gmail/sender.ts'
import { Failure } from '../../src/core/failure.ts'
import { parseHeader } from '../../src/core/mime/header.ts'
import type { Delivered, MailSender, OutgoingMail } from '../../src/ports/mail-sender.ts'
import { makeCertificate } from '../dovecot/certificate.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import { type Damage, googleError, TOO_FAST } from './proxy.ts'
import { ADDRESS, type GmailScene, gmailScene } from './scene.ts'

let scene: GmailScene
let sender: MailSender

beforeEach(async () => {
  scene = await gmailScene()
  sender = createGmailSender({ client: scene.client })
})
afterEach(() => scene.close())

const TEXT = 'Dear all,\r\n\r\n.\r\nFrom here on =?utf-8?Q?nothing?= changes.  \r\n'

function mail(fields: Partial<OutgoingMail> & { readonly header?: string } = {}): OutgoingMail {
  const { header = `From: Ada <${ADDRESS}>\r\nTo: Bob <bob@example.org>\r\n`, ...rest } = fields
  const bytes = Buffer.from(`${header}Subject: hello\r\nMessage-ID: <one@gmail.example>\r\n\r\n${TEXT}`)
  return { from: ADDRESS, recipients: ['bob@example.org'], bytes, ...rest }
}

const rawOf = (id: string | undefined): string => {
  const { raw } = scene.held().find((message) => message.id === id) ?? { raw: '' }
  return Buffer.from(raw, 'base64url').toString('latin1')
}
const SEND = /^POST \/(upload\/)?gmail\/v1\/users\/me\/messages\/send/
const sends = (): number => scene.proxy.requests.filter((line) => SEND.test(line)).length
const fault = (what: Damage): void => scene.proxy.fault({ on: SEND, what })
const failureOf = async (sending: Promise<Delivered>): Promise<Failure> => {
  const ended: unknown = await sending.catch((error: unknown) => error)
  if (ended instanceof Failure) return ended
  throw new Error('it should have failed', { cause: ended })
}

test('the bytes arrive as they are, once, and the provider names them', async () => {
  const outgoing = mail()
  const delivered = await sender.send(outgoing, never())
  const [held, ...others] = scene.held()
  expect(delivered).toEqual({ id: held?.id, thread: held?.threadId, refused: [] })
  expect(rawOf(held?.id)).toBe(Buffer.from(outgoing.bytes).toString('latin1'))
  expect(held?.labelIds).toEqual(['SENT'])
  expect(others).toEqual([])
})

test('a reply is put into the conversation that it continues', async () => {
  const id = await scene.deliver('From: bob@example.org\r\nMessage-ID: <first@example.org>\r\n\r\nhello\r\n')
  const thread = scene.held().find((message) => message.id === id)?.threadId as string
  expect(await sender.send(mail({ thread }), never())).toMatchObject({ thread })
  expect((await sender.send(mail(), never())).thread).not.toBe(thread)
})

test('whoever is named nowhere else stands in a Bcc of ours, in front of a message that is as it was', async () => {
  const header = `From: ${ADDRESS}\r\nTo: bob@Example.org\r\nCc: Eve <eve@example.org>\r\n`
  const hidden = Array.from({ length: 40 }, (_, at) => `somebody.with.a.long.name.${at}@hidden.example`)
  const recipients = ['bob@example.ORG', 'eve@example.org', ...hidden]
  const outgoing = mail({ header, recipients })
  const raw = rawOf((await sender.send(outgoing, never())).id)
  const whole = Buffer.from(outgoing.bytes).toString('latin1')
  const bcc = raw.slice(0, raw.length - whole.length)
  expect(raw.endsWith(whole)).toBe(true)
  expect(bcc).toMatch(/^Bcc: [ -~]+\r\n(?: [ -~]+\r\n)+$/)
  expect(bcc.split('\r\n').every((line) => line.length <= 78)).toBe(true)
  expect(parseHeader(Buffer.from(bcc))).toEqual([{ name: 'Bcc', value: hidden.join(', ') }])
})

test('nobody is told of anybody where all are named', async () => {
  const header = `From: ${ADDRESS}\r\nTo: bob@example.org, "Long, John" <john@example.org>\r\nCc: eve@example.org\r\n`
  const recipients = ['eve@example.org', 'bob@example.org', 'john@example.org']
  const { id } = await sender.send(mail({ header, recipients }), never())
  expect(rawOf(id)).not.toMatch(/^bcc/im)
})

test.each([
  ['somebody who gets no copy', `From: ${ADDRESS}\r\nTo: bob@example.org, eve@example.org\r\n`],
  ['another sender', 'From: eve@example.org\r\nTo: bob@example.org\r\n'],
  ['two senders', `From: ${ADDRESS}\r\nFrom: eve@example.org\r\nTo: bob@example.org\r\n`],
  ['a Bcc of its own', `From: ${ADDRESS}\r\nTo: bob@example.org\r\nBcc: eve@example.org\r\n`],
  ['a second To', `From: ${ADDRESS}\r\nTo: bob@example.org\r\nTo: eve@example.org\r\n`],
  ['a recipient of a resent message', `From: ${ADDRESS}\r\nTo: bob@example.org\r\nResent-To: eve@example.org\r\n`],
  ['a group', `From: ${ADDRESS}\r\nTo: all: bob@example.org, eve@example.org;\r\n`],
  ['a line that is no field', `From: ${ADDRESS}\r\nTo: bob@example.org\nBcc: eve@example.org\r\n`],
])('a header with %s never leaves', async (_what, header) => {
  expect(await failureOf(sender.send(mail({ header }), never()))).toMatchObject({
    code: 'invalid_input',
    stage: 'send',
  })
  expect(scene.proxy.requests).toEqual([])
})

test('one that is larger than Gmail takes never leaves', async () => {
  const { bytes } = mail()
  const line = Buffer.from(`${'x'.repeat(76)}\r\n`)
  const large = Buffer.concat([bytes, Buffer.alloc(78 * 480_000, line)])
  expect(await failureOf(sender.send(mail({ bytes: large }), never()))).toMatchObject({ code: 'too_large' })
  expect(scene.proxy.requests).toEqual([])
})

test('a long one is uploaded, byte by byte the same, with its thread and its Bcc', async () => {
  const { bytes } = mail()
  const long = Buffer.concat([bytes, Buffer.alloc(78 * 50_000, `${'y'.repeat(76)}\r\n`)])
  const recipients = ['bob@example.org', 'eve@example.org']
  const { id, thread } = await sender.send(mail({ bytes: long, recipients, thread: 'thr_known' }), never())
  expect(thread).toBe('thr_known')
  expect(rawOf(id)).toBe(`Bcc: eve@example.org\r\n${long.toString('latin1')}`)
})

test('a connection that is cut leaves open whether it was sent, and it is not sent again', async () => {
  for (const kind of ['drop_before', 'drop_after'] as const) {
    fault({ kind })
    expect(await failureOf(sender.send(mail(), never()))).toMatchObject({ code: 'outcome_unknown', retryable: false })
  }
  expect(sends()).toBe(2)
  expect(scene.held()).toHaveLength(1)
})

test.each([{ cut: true }, { cut: false }])('an answer that breaks off (%o) leaves it open', async ({ cut }) => {
  fault({ kind: 'truncate', cut })
  expect(await failureOf(sender.send(mail(), never()))).toMatchObject({ code: 'outcome_unknown' })
  expect([sends(), scene.held().length]).toEqual([1, 1])
})

test('whoever leaves before the answer does not know whether it was sent', async () => {
  fault({ kind: 'delay', milliseconds: 60_000 })
  const leaving = new AbortController()
  const sending = failureOf(sender.send(mail(), leaving.signal))
  while (scene.held().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  leaving.abort()
  expect(await sending).toMatchObject({ code: 'outcome_unknown' })
  expect(sends()).toBe(1)
})

test('whoever has left already sends nothing', async () => {
  expect(await failureOf(sender.send(mail(), AbortSignal.abort()))).toMatchObject({ code: 'cancelled' })
  expect(sends()).toBe(0)
})

test('a sender that was closed sends nothing, and leaves the account to others', async () => {
  await sender.close()
  expect(await failureOf(sender.send(mail(), never()))).toMatchObject({ code: 'unavailable' })
  await createGmailSender({ client: scene.client }).send(mail(), never())
  expect(sends()).toBe(1)
})

test('a token that is refused is renewed, and the message goes out once', async () => {
  fault({ kind: 'answer', status: 401, body: googleError(401, 'authError', 'UNAUTHENTICATED') })
  expect(await sender.send(mail(), never())).toMatchObject({ refused: [] })
  expect([scene.access.refusals, sends(), scene.held().length]).toEqual([1, 2, 1])
})

test('a second token that is refused is certain too', async () => {
  const what = { kind: 'answer', status: 401, body: googleError(401, 'authError', 'UNAUTHENTICATED') } as const
  scene.proxy.fault({ on: SEND, times: 2, what })
  expect(await failureOf(sender.send(mail(), never()))).toMatchObject({ code: 'auth_failed' })
  expect([sends(), scene.held()]).toEqual([2, []])
})

const answered = (status: number, reason: string): Damage => ({
  ...{ kind: 'answer', status, body: googleError(status, reason, 'SAID') },
})

test.each([
  ['slow down', TOO_FAST, 'unavailable'],
  ['a limit', answered(403, 'rateLimitExceeded'), 'unavailable'],
  ['a limit of the user', answered(403, 'userRateLimitExceeded'), 'unavailable'],
  ['a fault of its own', answered(500, 'backendError'), 'unavailable'],
  ['a fault without a word', { kind: 'answer', status: 503 }, 'unavailable'],
  ['a fault behind its own gateway', answered(502, 'backendError'), 'unavailable'],
  ['that it did not get it all', { kind: 'answer', status: 408 }, 'unavailable'],
  ['a refusal', answered(400, 'invalidArgument'), 'rejected'],
  ['another scope', answered(403, 'insufficientPermissions'), 'auth_failed'],
  ['an unknown thread', answered(404, 'notFound'), 'not_found'],
  ['that it is too large', answered(413, 'uploadTooLarge'), 'too_large'],
  ['elsewhere', { kind: 'answer', status: 302, headers: { Location: 'http://127.0.0.1:1/' } }, 'rejected'],
] as const)('what Gmail answers with %s was not sent, and is not repeated here', async (_what, damage, code) => {
  fault(damage)
  const failure = await failureOf(sender.send(mail(), never()))
  expect(failure).toMatchObject({ code, retryable: code === 'unavailable' })
  expect(failure.message).not.toContain('the words of Google')
  expect([sends(), scene.held()]).toEqual([1, []])
})

test.each([502, 504])('a gateway that heard nothing (%d) leaves it open', async (status) => {
  fault({ kind: 'answer', status })
  expect(await failureOf(sender.send(mail(), never()))).toMatchObject({ code: 'outcome_unknown' })
  expect(sends()).toBe(1)
})

test('a request that could not leave was not sent', async () => {
  expect(await failureOf(sendTo(`http://127.0.0.1:${await aClosedPort()}`))).toMatchObject({
    ...{ code: 'unavailable', retryable: true },
  })
})

test('nothing is said to a server whose certificate nobody vouches for', async () => {
  const { certFile, keyFile } = await makeCertificate(scene.directory)
  let requests = 0
  const server = createHttps({ cert: await readFile(certFile), key: await readFile(keyFile) }, () => requests++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect(await failureOf(sendTo(`https://127.0.0.1:${port}`))).toMatchObject({ code: 'tls_failed' })
  expect(requests).toBe(0)
  await new Promise((resolve) => server.close(resolve))
})

async function sendTo(baseUrl: string): Promise<Delivered> {
  const { access, times } = scene
  const client = createGmailClient({ baseUrl, access, log: silentLog, times })
  return createGmailSender({ client })
    .send(mail(), never())
    .finally(() => client.close())
}

async function aClosedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
