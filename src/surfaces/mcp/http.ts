/**
 * MCP over Streamable HTTP at `/mcp`, for any number of clients at once.
 *
 * INVARIANT: a request is looked at only if its Host and Origin are ours, and reaches MCP only with its caller known.
 * Every request gets a server of its own, so no client can hold up or see another. Loaded only when HTTP is served.
 */
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Failure } from '../../core/failure.ts'
import { type HttpParts, makeApp } from './http-app.ts'

export interface HttpOptions {
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
}

export interface HttpService {
  readonly url: string
  readonly port: number
  /** Resolves once what was asked is answered or cancelled and every connection is closed. */
  stop(): Promise<void>
}

const GRACE_MS = 5000
const FAREWELL_MS = 500
/** A client that sends slowly holds nothing but its own connection, and not for long. */
export const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
}

export async function serveOverHttp(parts: HttpParts, { host, port }: HttpOptions): Promise<HttpService> {
  const server = createServer(LIMITS)
  const bound = await listen(server, host, port)
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}/mcp`
  const app = makeApp(parts, { url, host, port: bound })
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const unanswered = new Set<ServerResponse>()
  server.on('request', (request, response) => {
    unanswered.add(response)
    response.once('close', () => unanswered.delete(response))
    // Once we are stopping, an answer is the last on its connection: the next request belongs to whoever comes after us.
    if (!server.listening) response.setHeader('Connection', 'close')
    void listener(request, response)
  })
  return { url, port: bound, stop: () => stop(server, parts, unanswered, app.close) }
}

async function stop(
  server: HttpServer,
  { calls }: HttpParts,
  unanswered: ReadonlySet<ServerResponse>,
  closeApp: () => Promise<void>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const end = performance.now() + GRACE_MS - FAREWELL_MS
  let idle: boolean
  do {
    idle = await calls.idle(Math.max(0, end - performance.now()))
    // A request may have come in that is no call yet; a client that dawdles with one is not waited for longer.
    await emptied(unanswered)
    idle &&= await calls.idle(0)
  } while (!idle && performance.now() < end)
  if (!idle) {
    calls.cancelAll()
    await calls.idle(FAREWELL_MS)
  }
  await closeApp()
  // Answers that are ready are on their way; what is still open after that is a client that does not read.
  const late = setTimeout(() => server.closeAllConnections(), FAREWELL_MS)
  server.closeIdleConnections()
  await closed
  clearTimeout(late)
}

/** Resolves when all of them are answered, or after a while. */
async function emptied(unanswered: ReadonlySet<ServerResponse>): Promise<void> {
  const late = performance.now() + FAREWELL_MS
  while (unanswered.size > 0 && performance.now() < late) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Returns the port. */
export function listen(server: HttpServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFailure(error, host, port)))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use; stop what uses it or choose another with --port',
  EACCES: 'may not be used by this user; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'is not an address of this machine; choose another with --host',
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Failure {
  const problem = LISTEN_PROBLEMS[error.code ?? ''] ?? 'cannot be listened on'
  return new Failure('unavailable', `${host} port ${port} ${problem}`, { cause: error, stage: 'listen' })
}
