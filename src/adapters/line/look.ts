/**
 * Looks at the line to a server as far as that goes without a login: name, port, TLS, certificate.
 *
 * INVARIANT: nothing is sent but the words that ask for TLS. The certificate is looked at however bad it is, and the line then
 * closed: nothing passes over it.
 */
import { connect, type Socket } from 'node:net'
import * as tls from 'node:tls'
import { faultOf } from './faults.ts'
import { greet } from './greeting.ts'

export interface LineTo {
  readonly host: string
  readonly port: number
  readonly tls: 'implicit' | 'starttls' | 'none'
  readonly protocol: 'imap' | 'smtp' | 'http'
  /** A certificate authority to trust beside the usual ones, PEM. */
  readonly ca?: string | undefined
}

export type LineSeen =
  | { readonly kind: 'open'; readonly certificateUntil?: number }
  | { readonly kind: Fault }
  | { readonly kind: 'expired' | 'not_yet'; readonly at: number }

export type Fault =
  | 'no_such_host'
  | 'refused'
  | 'unreachable'
  | 'silent'
  | 'not_tls'
  | 'no_starttls'
  | 'not_trusted'
  | 'other_name'

/** A connection that does not come about, and a server that says nothing, are given up after so long. */
const CONNECT_MS = 8000
const SILENCE_MS = 5000

export async function lookAtLine(to: LineTo, signal: AbortSignal): Promise<LineSeen> {
  let socket: Socket | undefined
  try {
    socket = await opened(to, signal)
    if (to.tls === 'implicit') return await certificateOf(socket, to)
    if (to.protocol === 'http') return { kind: 'open' }
    const greeting = await greet(socket, to.protocol, to.tls === 'starttls', SILENCE_MS)
    if (greeting !== 'ready') return greeting === 'greeted' ? { kind: 'open' } : { kind: greeting }
    return await certificateOf(socket, to)
  } catch (error) {
    return { kind: faultOf(error) }
  } finally {
    socket?.destroy()
  }
}

function opened({ host, port }: LineTo, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: bare(host), port, signal, timeout: CONNECT_MS })
    socket.once('connect', () => {
      socket.setTimeout(0)
      resolve(socket)
    })
    socket.once('timeout', () => socket.destroy(new Error('the connection did not come about')))
    // What comes after the first word is nobody's business here, and must not end the process.
    socket.on('error', reject)
  })
}

function certificateOf(socket: Socket, { host, ca }: LineTo): Promise<LineSeen> {
  const name = bare(host)
  return new Promise((resolve, reject) => {
    const trust = ca === undefined ? {} : { ca: [...trusted(), ca] }
    // The name is compared below: where it does not fit, the rest of the certificate is to be told too.
    const checkServerIdentity = (): undefined => undefined
    const isName = !/^[\d.]+$|:/.test(name)
    const line = tls.connect({
      socket,
      ...trust,
      rejectUnauthorized: false,
      checkServerIdentity,
      ...(isName && { servername: name }),
    })
    const impatience = setTimeout(() => resolve({ kind: 'silent' }), SILENCE_MS)
    line.once('secureConnect', () => {
      clearTimeout(impatience)
      resolve(judged(line, name))
      line.destroy()
    })
    line.on('error', (error) => {
      clearTimeout(impatience)
      reject(error)
    })
  })
}

function judged(line: tls.TLSSocket, name: string): LineSeen {
  const certificate = line.getPeerCertificate()
  const [from, until] = [Date.parse(certificate.valid_from), Date.parse(certificate.valid_to)]
  const fault = String(line.authorizationError ?? '')
  if (fault.includes('CERT_HAS_EXPIRED')) return { kind: 'expired', at: until }
  if (fault.includes('CERT_NOT_YET_VALID')) return { kind: 'not_yet', at: from }
  if (!line.authorized) return { kind: 'not_trusted' }
  if (tls.checkServerIdentity(name, certificate) !== undefined) return { kind: 'other_name' }
  return { kind: 'open', certificateUntil: until }
}

/** What Node trusts by itself: an account's own authority comes beside it. */
function trusted(): readonly string[] {
  return typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates
}

/** An IPv6 address may be written in brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}
