import { createSocket, type Socket } from 'node:dgram'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMailLookup } from '../../src/adapters/autoconfig/lookup.ts'
import { findServers } from '../../src/engine/setup/find-servers.ts'
import type { MailLookup } from '../../src/ports/mail-lookup.ts'
import { makeCertificate } from '../dovecot/certificate.ts'

/** Answers of the DNS server by `TYPE name`, and of the web server by `host/path`. */
let zone: Record<string, readonly Buffer[]>
let web: Record<string, { readonly status?: number; readonly body?: string; readonly location?: string }>
let asked: string[]
let dns: Socket
let https: Server
let lookup: MailLookup
let directory: string

const WELL_KNOWN = '/.well-known/autoconfig/mail/config-v1.1.xml'

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pl-'))
  const { caFile, certFile, keyFile } = await makeCertificate(
    directory,
    'DNS:autoconfig.example.org,DNS:example.org,DNS:else.example',
  )
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file, 'utf8')))
  https = createServer({ cert, key }, (request, response) => {
    asked.push(`${request.headers.host}${request.url}`)
    const { status = 200, body = '', location } = web[`${request.headers.host}${request.url}`] ?? { status: 404 }
    response.writeHead(status, location === undefined ? {} : { location }).end(body)
  })
  await new Promise<void>((resolve) => void https.listen(0, '127.0.0.1', resolve))
  dns = createSocket('udp4').on('message', (query, from) => dns.send(dnsAnswer(query), from.port, from.address))
  await new Promise<void>((resolve) => void dns.bind(0, '127.0.0.1', resolve))
  const port = (https.address() as AddressInfo).port
  lookup = createMailLookup({
    dnsServers: [`127.0.0.1:${dns.address().port}`],
    placeOf: () => ({ address: '127.0.0.1', port }),
    ca: ca ?? '',
    timeLimitMs: 20_000,
  })
})
afterAll(async () => {
  await new Promise<void>((resolve) => void dns.close(resolve))
  https.closeAllConnections()
  await new Promise((resolve) => void https.close(resolve))
  await rm(directory, { recursive: true, force: true })
})
beforeEach(() => {
  zone = {}
  web = {}
  asked = []
})

const TYPES: Readonly<Record<number, string>> = { 15: 'MX', 33: 'SRV' }

function labels(name: string): Buffer {
  const parts = name.split('.').filter((part) => part !== '')
  return Buffer.concat([
    ...parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])),
    Buffer.from([0]),
  ])
}

const numbers = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])))
const srv = (host: string, port: number): Buffer => Buffer.concat([numbers(0, 0, port), labels(host)])
const mx = (host: string): Buffer => Buffer.concat([numbers(10), labels(host)])

function dnsAnswer(query: Buffer): Buffer {
  let at = 12
  const name: string[] = []
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    name.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const question = query.subarray(12, at + 5)
  const type = query.readUInt16BE(at + 1)
  const found = zone[`${TYPES[type]} ${name.join('.').toLowerCase()}`] ?? []
  const records = found.map((data) => Buffer.concat([numbers(0xc00c, type, 1, 0, 60, data.length), data]))
  const head = Buffer.concat([query.subarray(0, 2), numbers(found.length > 0 ? 0x8180 : 0x8183, 1, found.length, 0, 0)])
  return Buffer.concat([head, question, ...records])
}

const find = (address: string): ReturnType<typeof findServers> =>
  findServers(address, lookup, new AbortController().signal)

const server = (tag: string, type: string, fields: Readonly<Record<string, string>>): string =>
  `<${tag} type="${type}">${Object.entries(fields)
    .map(([key, value]) => `<${key}>${value}</${key}>`)
    .join('')}</${tag}>`
const SAFE = { port: '993', socketType: 'SSL', username: '%EMAILLOCALPART%', authentication: 'password-cleartext' }
const config = (...servers: string[]): string =>
  `<?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="x">${servers.join('')}</emailProvider></clientConfig>`

test('a known domain asks nobody', async () => {
  expect(await find('Ada@GMail.com')).toMatchObject({ kind: 'provider', provider: { id: 'gmail' } })
  expect(await find('ada@tuta.com')).toMatchObject({ kind: 'closed' })
  expect(asked).toEqual([])
})

test('SRV records of the domain itself are believed', async () => {
  zone = {
    'SRV _imaps._tcp.example.org': [srv('imap.example.org', 993)],
    'SRV _submission._tcp.example.org': [srv('smtp.example.org', 587)],
  }
  expect(await find('ada@example.org')).toEqual({
    kind: 'servers',
    from: 'dns',
    unproven: false,
    login: 'address',
    servers: {
      imap: { host: 'imap.example.org', port: 993, tls: 'implicit' },
      smtp: { host: 'smtp.example.org', port: 587, tls: 'starttls' },
    },
  })
})

test('SRV records that lead elsewhere are not, until something better is missing', async () => {
  zone = { 'SRV _imaps._tcp.example.org': [srv('mail.evil.example', 993)] }
  expect(await find('ada@example.org')).toMatchObject({ kind: 'servers', from: 'dns', unproven: true })
  web = {
    [`example.org${WELL_KNOWN}`]: {
      body: config(server('incomingServer', 'imap', { hostname: 'imap.good.example', ...SAFE })),
    },
  }
  expect(await find('ada@example.org')).toMatchObject({
    from: 'autoconfig',
    servers: { imap: { host: 'imap.good.example' } },
  })
})

test('what the domain publishes: the first safe server, and the person’s address stays here', async () => {
  const bare = server('incomingServer', 'imap', {
    ...SAFE,
    hostname: 'bare.example.org',
    socketType: 'plain',
    port: '143',
  })
  const pop = server('incomingServer', 'pop3', { ...SAFE, hostname: 'pop.example.org' })
  const good = server('incomingServer', 'imap', { ...SAFE, hostname: 'imap.%EMAILDOMAIN%' })
  const out = server('outgoingServer', 'smtp', {
    ...SAFE,
    hostname: 'smtp.example.org',
    port: '587',
    socketType: 'STARTTLS',
  })
  web = { 'autoconfig.example.org/mail/config-v1.1.xml': { body: config(pop, bare, good, out) } }
  expect(await find('ada@example.org')).toMatchObject({
    login: 'local_part',
    servers: {
      imap: { host: 'imap.example.org', port: 993, tls: 'implicit' },
      smtp: { host: 'smtp.example.org', port: 587, tls: 'starttls' },
    },
  })
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.filter((path) => path.includes('ada'))).toEqual([])
})

test.each([
  [
    'entities',
    `<!DOCTYPE x [<!ENTITY a "imap.example.org"><!ENTITY f SYSTEM "file:///etc/passwd">]>${config(server('incomingServer', 'imap', { ...SAFE, hostname: '&f;' }))}`,
  ],
  ['a host that is none', config(server('incomingServer', 'imap', { ...SAFE, hostname: 'imap.example.org:99/x' }))],
  [
    'no password',
    config(server('incomingServer', 'imap', { ...SAFE, hostname: 'imap.example.org', authentication: 'OAuth2' })),
  ],
  [
    'another kind of document',
    '<html><incomingServer type="imap"><hostname>imap.example.org</hostname></incomingServer></html>',
  ],
  [
    'too much',
    `${' '.repeat(70_000)}${config(server('incomingServer', 'imap', { ...SAFE, hostname: 'imap.example.org' }))}`,
  ],
  ['rubbish', '<<<>>>&&&'],
])('%s is nothing', async (_, body) => {
  web = { [`example.org${WELL_KNOWN}`]: { body } }
  expect(await find('ada@example.org')).toEqual({ kind: 'nothing' })
})

test('redirections are followed, but never to http and not for ever', async () => {
  const body = config(server('incomingServer', 'imap', { ...SAFE, hostname: 'imap.example.org' }))
  web = {
    [`example.org${WELL_KNOWN}`]: { status: 302, location: 'https://else.example/here' },
    'else.example/here': { body },
  }
  expect(await find('ada@example.org')).toMatchObject({ from: 'autoconfig' })
  web = {
    [`example.org${WELL_KNOWN}`]: { status: 302, location: 'http://else.example/here' },
    'else.example/here': { body },
  }
  expect(await find('ada@example.org')).toEqual({ kind: 'nothing' })
  web = { [`example.org${WELL_KNOWN}`]: { status: 302, location: `https://example.org${WELL_KNOWN}` } }
  expect(await find('ada@example.org')).toEqual({ kind: 'nothing' })
})

test('a domain at a known host is known by who takes its mail in', async () => {
  zone = { 'MX example.org': [mx('aspmx.l.google.com')] }
  expect(await find('ada@example.org')).toMatchObject({ kind: 'provider', provider: { id: 'gmail' } })
})

test('whoever stops waiting is let go', async () => {
  const gone = new AbortController()
  gone.abort(new Error('stopped'))
  await expect(findServers('ada@example.org', lookup, gone.signal)).rejects.toThrow('stopped')
})
