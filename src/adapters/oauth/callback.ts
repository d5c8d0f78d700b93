/**
 * Waits on this machine for the browser that the provider sends back.
 *
 * INVARIANT: listens on 127.0.0.1 only. One answer is taken: a GET of the one path, at the one host name, with the state
 * that was sent. All else is turned away without changing anything, and too much of it ends the waiting.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failure } from '../../core/failure.ts'
import { endpointFailure } from './failures.ts'

export interface CallbackPlace {
  /** What the browser calls this machine: `127.0.0.1`, or `localhost` where the provider wants that. */
  readonly host: string
  readonly path: string
  /** 0 for any free one. */
  readonly port: number
}

export interface Callback {
  readonly redirectUri: string
  /** The one answer with this state. To be called once. */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams>
  close(): Promise<void>
}

const MOST_HEADER_BYTES = 16_384
const MOST_CONNECTIONS = 16
const PATIENCE_MS = 10_000
/** Guessing the state is hopeless; whoever tries it so often is up to no good. */
const MOST_STRANGERS = 100

const PAGES = {
  taken: [200, 'Postern has your answer. This page can be closed; the terminal says how it went.'],
  late: [409, 'This address has been used already. This page can be closed.'],
  stranger: [400, 'This is not the answer that Postern waits for. If you came here from the terminal, start again.'],
  elsewhere: [404, 'There is nothing here.'],
} as const

export async function listenForCallback(place: CallbackPlace): Promise<Callback> {
  const server = createServer({
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: PATIENCE_MS,
    requestTimeout: PATIENCE_MS,
    keepAlive: false,
  })
  server.maxConnections = MOST_CONNECTIONS
  await listening(server, place.port)
  const { port } = server.address() as AddressInfo
  const host = `${place.host}:${port}`
  return {
    redirectUri: `http://${host}${place.path}`,
    answer: (state, signal) => takeAnswer(server, { host, path: place.path, state }, signal),
    close: () => closed(server),
  }
}

interface Expected {
  readonly host: string
  readonly path: string
  readonly state: string
}

function takeAnswer(server: Server, expected: Expected, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    let taken = false
    let strangers = 0
    const judge = (request: IncomingMessage): readonly [page: keyof typeof PAGES, answer?: URLSearchParams] => {
      const answer = answerIn(request, expected)
      if (answer === undefined) return ['elsewhere']
      if (!sameState(answer.get('state'), expected.state)) return ['stranger']
      return taken ? ['late'] : ['taken', answer]
    }
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      request.resume()
      const [page, answer] = judge(request)
      if (answer !== undefined) taken = true
      strangers += page === 'stranger' ? 1 : 0
      show(response, page)
      // Only after the page is out: what follows may end this process.
      if (answer !== undefined) response.once('close', () => resolve(answer))
      if (strangers > MOST_STRANGERS) reject(tooManyStrangers())
    })
    const onAbort = (): void => reject(endpointFailure(signal.reason))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** The parameters, where the request is one that our own browser page would make. */
function answerIn({ method, url = '', headers }: IncomingMessage, expected: Expected): URLSearchParams | undefined {
  // A page elsewhere whose name was made to point here sends its own name.
  if (method !== 'GET' || headers.host !== expected.host || !url.startsWith('/')) return undefined
  const { pathname, searchParams } = new URL(`http://${expected.host}${url}`)
  return pathname === expected.path ? searchParams : undefined
}

/** Digests have one length, so comparing them takes the same time for whatever was sent. */
export function sameState(given: string | null, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(expected))
}

function show(response: ServerResponse, page: keyof typeof PAGES): void {
  const [status, text] = PAGES[page]
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  })
  response.end(`${text}\n`)
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `the port ${port} for the browser's answer cannot be used; is something else listening there?`
      reject(new Failure('unavailable', message, { cause, stage: 'credentials' }))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function tooManyStrangers(): Failure {
  const message = 'too many answers came that nobody asked for; something on this machine interferes'
  return new Failure('rejected', message, { stage: 'credentials' })
}
