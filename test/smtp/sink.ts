/** A real mail server on loopback that keeps what it is given and delivers nothing. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import { SMTPServer, type SMTPServerAuthentication, type SMTPServerOptions } from 'smtp-server'
import { makeCertificate } from '../dovecot/certificate.ts'

export const SINK_USER = 'ada@example.org'
export const SINK_PASSWORD = 'correct horse "battery" staple'

export interface SinkOptions {
  /** `none` offers no STARTTLS; `starttls` demands it before a login; `implicit` is TLS from the start. */
  readonly tls?: 'none' | 'starttls' | 'implicit'
  /** The names in its certificate, as openssl writes them. */
  readonly names?: string
  /** Default: PLAIN and LOGIN. */
  readonly authMethods?: readonly ('PLAIN' | 'LOGIN' | 'CRAM-MD5' | 'XOAUTH2')[]
  /** Asked at each login with XOAUTH2; by default every token is good. */
  readonly acceptsToken?: (token: string) => boolean
  /** The largest message that it says it takes. */
  readonly size?: number
  /** By default it takes commands in one go. */
  readonly pipelining?: boolean
  /** Its answer where it is not to accept. Asked each time, so it may change. */
  readonly refuse?: (step: SinkStep) => Refusal | undefined
  /** Held back until it resolves, once the message is complete and before it is accepted. */
  readonly pause?: () => Promise<void>
  /** How many connections it takes at once; others are told so, and to come back later. */
  readonly most?: () => number
  /** A fixed port, to come back after being away. */
  readonly port?: number
}

export type SinkStep =
  | { readonly at: 'connect' | 'auth' | 'data' }
  | { readonly at: 'mail' | 'rcpt'; readonly address: string }

export interface Refusal {
  readonly code: number
  readonly text?: string
}

/** One that was accepted. */
export interface SunkMessage {
  readonly from: string
  /** In the order of the envelope. */
  readonly recipients: readonly string[]
  readonly bytes: Buffer
  readonly secure: boolean
}

export interface Sink {
  readonly port: number
  /** PEM; only with TLS. */
  readonly ca: string | undefined
  /** Those that it has accepted, in order. */
  readonly messages: readonly SunkMessage[]
  /** Every recipient that it was ever told, accepted or not. */
  readonly named: readonly string[]
  /** Each try to log in. */
  readonly logins: readonly { readonly method: string; readonly secret: string; readonly secure: boolean }[]
  /** How many connections were made so far. */
  connections(): number
  /** Forgets what it has noted. */
  forget(): void
  /** Ends the open connections as a restart would. */
  dropClients(): void
  close(): Promise<void>
}

export async function startSink(options: SinkOptions = {}): Promise<Sink> {
  const certificate = options.tls === undefined || options.tls === 'none' ? undefined : await certificateFor(options)
  const messages: SunkMessage[] = []
  const named: string[] = []
  const logins: Sink['logins'][number][] = []
  let connections = 0
  let open = 0
  const refusal = (step: SinkStep): Error | undefined => {
    const refused = options.refuse?.(step)
    return refused && Object.assign(new Error(refused.text ?? 'no'), { responseCode: refused.code })
  }
  const server = new SMTPServer({
    ...plainSettings(options),
    ...(certificate === undefined ? {} : { key: certificate.key, cert: certificate.cert }),
    onConnect: (_session, done) => {
      connections += 1
      open += 1
      const isTooMany = open > (options.most?.() ?? open)
      done(isTooMany ? Object.assign(new Error('too many'), { responseCode: 421 }) : refusal({ at: 'connect' }))
    },
    onClose: () => {
      open -= 1
    },
    onAuth: (auth, session, done) => {
      logins.push({ method: auth.method, secret: auth.password ?? auth.accessToken ?? '', secure: session.secure })
      const refused = refusal({ at: 'auth' })
      if (refused !== undefined) return done(refused)
      if (isKnown(auth, options)) return done(null, { user: auth.username })
      done(null, auth.method === 'XOAUTH2' ? { data: { status: '401', schemes: 'bearer' } } : {})
    },
    onMailFrom: (sender, _session, done) => done(refusal({ at: 'mail', address: asSent(sender) })),
    onRcptTo: (recipient, _session, done) => {
      named.push(asSent(recipient))
      done(refusal({ at: 'rcpt', address: asSent(recipient) }))
    },
    onData: (stream, { envelope, secure }, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined)
      stream.on('end', () => {
        const accept = (): void => {
          const refused = refusal({ at: 'data' })
          if (refused !== undefined) {
            done(refused)
            return
          }
          const from = envelope.mailFrom === false ? '' : asSent(envelope.mailFrom)
          const recipients = envelope.rcptTo.map(asSent)
          messages.push({ from, recipients, bytes: Buffer.concat(chunks), secure })
          done()
        }
        if (options.pause === undefined) accept()
        else void options.pause().then(accept)
      })
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(options.port ?? 0, '127.0.0.1')
  await new Promise<void>((resolve, reject) => listening.once('listening', resolve).once('error', reject))
  return {
    port: (listening.address() as AddressInfo).port,
    ca: certificate?.ca,
    messages,
    named,
    logins,
    connections: () => connections,
    forget: () => {
      messages.length = 0
      named.length = 0
      logins.length = 0
      connections = 0
    },
    dropClients: () => {
      for (const { _socket } of server.connections) _socket.destroy()
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** The library shows the `xn--` form of a domain in its letters. */
function asSent({ address }: { readonly address: string }): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  return /^[ -~]*$/.test(domain) ? address : address.slice(0, at) + domainToASCII(domain)
}

function plainSettings({ tls = 'none', authMethods, size, pipelining = true }: SinkOptions): SMTPServerOptions {
  return {
    name: 'sink.test',
    logger: false,
    secure: tls === 'implicit',
    disabledCommands: tls === 'starttls' ? [] : ['STARTTLS'],
    allowInsecureAuth: tls === 'none',
    authMethods: [...(authMethods ?? ['PLAIN', 'LOGIN'])],
    hidePIPELINING: !pipelining,
    disableReverseLookup: true,
    closeTimeout: 50,
    ...(size === undefined ? {} : { size }),
  }
}

function isKnown(auth: SMTPServerAuthentication, { acceptsToken = () => true }: SinkOptions): boolean {
  if (auth.username !== SINK_USER) return false
  if (auth.method === 'XOAUTH2') return acceptsToken(auth.accessToken ?? '')
  return auth.method === 'CRAM-MD5' ? auth.validatePassword(SINK_PASSWORD) : auth.password === SINK_PASSWORD
}

async function certificateFor({ names }: SinkOptions): Promise<{ ca: string; cert: string; key: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'postern-sink-'))
  try {
    const { caFile, certFile, keyFile } = await makeCertificate(dir, names)
    const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file, 'utf8')))
    return { ca: ca ?? '', cert: cert ?? '', key: key ?? '' }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
