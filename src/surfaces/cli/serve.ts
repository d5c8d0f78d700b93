/**
 * `postern serve`: opens Postern and lets clients in, over stdio or HTTP, until told to stop.
 *
 * INVARIANT: a server that cannot start says so in full on stderr and, over stdio, in one sentence as the answer to
 * the first request; then it exits with 1. One that was stopped exits with 0.
 */
import { Failure } from '../../core/failure.ts'
import type { ServedConsole } from '../console/console.ts'
import type { Authenticate } from '../mcp/bearer.ts'
import { refuseStdio } from '../mcp/refuse-stdio.ts'
import type { ServerParts, Visitor } from '../mcp/server.ts'
import type { Streams } from '../mcp/stdio.ts'
import { type ServeChoice, USUAL_HOST, USUAL_PORT } from './choices.ts'
import type { Terminal } from './program.ts'

/** Postern, ready for callers. */
export interface Opened {
  readonly kind: 'open'
  readonly parts: ServerParts
  /** Whoever is at stdin. */
  readonly visitor: Visitor
  /** Tells HTTP callers apart. */
  readonly authenticate: Authenticate
  /** Whether calls can be recorded at this moment; absent where nothing is recorded. */
  canRecord?(): Promise<boolean>
  /** Where the environment wants HTTP to listen, the names under which it is reached, and which pages may ask. */
  readonly http?: {
    readonly host?: string
    readonly port?: number
    readonly allowedHosts: readonly string[]
    readonly allowedOrigins: readonly string[]
  }
  /** Where people look and decide, beside MCP over HTTP. */
  console?(): Promise<ServedConsole>
  /** Reads the configuration again; absent where it cannot change. */
  reload?(): Promise<void>
  /** Lets `postern reload` find this server; called once a reload would be heard. */
  announce?(): void
  close(): Promise<void>
}

export interface CannotStart {
  readonly kind: 'cannot_start'
  /** For the client: one sentence. */
  readonly sentence: string
  /** For the person: everything there is to say. */
  readonly story: string
  /** The JSON-RPC code, where it is not the usual one. */
  readonly code?: number
  /** The same for a program: `data.code` of the error. */
  readonly reason?: string
}

export interface ServeParts {
  open(choice: ServeChoice): Promise<Opened | CannotStart>
  readonly streams: Streams
  readonly terminal: Terminal
  /** Calls back once, when the process is asked to end. */
  onStop(stop: () => void): void
  /** Calls back whenever the process is asked to read its configuration again. */
  onReload?(reload: () => void): void
}

export async function serve(choice: ServeChoice, parts: ServeParts): Promise<number> {
  const opened = await parts.open(choice).catch(cannotStart)
  if (opened.kind === 'cannot_start') return refuse(opened, choice.transport, parts)
  const { reload } = opened
  if (reload !== undefined) parts.onReload?.(() => void reload())
  opened.announce?.()
  try {
    if (choice.transport === 'stdio') await serveStreams(opened, parts)
    else await serveHttp(opened, choice, parts)
    return 0
  } catch (error) {
    return refuse(cannotStart(error), 'http', parts)
  } finally {
    await opened.close()
  }
}

export async function serveStreams(opened: Opened, { streams, onStop }: ServeParts): Promise<void> {
  const { serveOverStdio } = await import('../mcp/stdio.ts')
  const service = serveOverStdio(opened.parts, opened.visitor, streams)
  onStop(service.stop)
  await service.done
}

async function serveHttp(opened: Opened, choice: ServeChoice, { terminal, onStop }: ServeParts): Promise<void> {
  const { serveOverHttp } = await import('../mcp/http.ts')
  const { parts, authenticate, http = { allowedHosts: [], allowedOrigins: [] } } = opened
  const { host = http.host ?? USUAL_HOST, port = http.port ?? USUAL_PORT } = choice
  const { allowedHosts, allowedOrigins } = http
  const door = await opened.console?.()
  const canRecord = async (): Promise<boolean> => (await opened.canRecord?.()) ?? true
  const served = { ...parts, authenticate, canRecord, allowedHosts, allowedOrigins, ...(door && { console: door }) }
  const service = await serveOverHttp(served, { host, port })
  const line = door && (await consoleLine(door, host, service.port))
  // Whoever is told that it serves can ask it to stop.
  const stopped = new Promise<void>((resolve) => onStop(resolve))
  if (!isLoopback(host)) terminal.complain(`postern: warning: ${host} ${NOT_ENCRYPTED}\n`)
  terminal.complain(`postern: serving MCP at ${service.url}\n`)
  if (line !== undefined) terminal.complain(`postern: ${line}\n`)
  await stopped
  door?.close()
  await service.stop()
}

/** A console that cannot be opened is no reason not to serve. */
async function consoleLine(door: ServedConsole, host: string, port: number): Promise<string> {
  const origin = `http://${host.includes(':') ? `[${host}]` : host.replace(/^0\.0\.0\.0$/, USUAL_HOST)}:${port}`
  try {
    door.announce(origin)
    return `the console signs you in once, within 10 minutes, at ${await door.newLink(origin)}`
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return `the console cannot be used: ${error.message}`
  }
}

const NOT_ENCRYPTED =
  'can be reached from other machines and HTTP is not encrypted: tokens and mail can be read on the way; ' +
  'put a proxy with TLS in front of it and listen on 127.0.0.1'

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

export async function refuse(
  { sentence, story, code, reason }: CannotStart,
  transport: ServeChoice['transport'],
  { streams, terminal }: Pick<ServeParts, 'streams' | 'terminal'>,
): Promise<number> {
  terminal.complain(`postern: ${story}\n`)
  if (transport === 'stdio') await refuseStdio(streams, sentence, code, reason)
  return 1
}

/** A `Failure` is the world saying no; anything else is a bug and ends the program as one. */
export function cannotStart(error: unknown): CannotStart {
  if (!(error instanceof Failure)) throw error
  return { kind: 'cannot_start', sentence: error.message, story: error.message }
}
