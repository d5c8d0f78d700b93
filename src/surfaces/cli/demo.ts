/**
 * `postern demo`: a make-believe mailbox to try Postern on, served at once.
 *
 * INVARIANT: loopback only. Over stdio nothing is printed to stdout but the protocol.
 */
import { Failure } from '../../core/failure.ts'
import type { HttpService } from '../mcp/http.ts'
import type { HttpParts } from '../mcp/http-app.ts'
import { type DemoChoice, USUAL_PORT } from './choices.ts'
import { type ClientCommand, clientConfigs } from './client-config.ts'
import { cannotStart, type Opened, refuse, type ServeParts, serveStreams } from './serve.ts'

export interface DemoParts extends Omit<ServeParts, 'open'> {
  open(choice: DemoChoice): Promise<OpenedDemo>
  /** How a client starts this same demo over stdio. */
  readonly command: ClientCommand
  /** How a person starts this program. */
  readonly program: string
}

export interface OpenedDemo extends Opened {
  /** Made at start; whoever has it may call. */
  readonly token: string
  /** Where its mail and its letters lie while it runs: commands that are told so reach it. */
  readonly directory: string
}

const HOST = '127.0.0.1'

export async function demo(choice: DemoChoice, parts: DemoParts): Promise<number> {
  const { stdio, port } = choice
  const opened = await parts.open(choice).catch(cannotStart)
  if (opened.kind === 'cannot_start') return refuse(opened, stdio ? 'stdio' : 'http', parts)
  try {
    if (stdio) await serveStdio(opened, parts)
    else await serveHttp(opened, port, parts)
    return 0
  } catch (error) {
    return refuse(cannotStart(error), 'http', parts)
  } finally {
    await opened.close()
  }
}

async function serveStdio(opened: OpenedDemo, parts: DemoParts): Promise<void> {
  // Clients show it in their log: nobody could find the letters otherwise.
  parts.terminal.complain(
    `postern: letters of this make-believe mailbox are seen with: ${commandIn(opened, parts.program)}\n`,
  )
  await serveStreams(opened, { ...parts, open: async () => opened })
}

async function serveHttp(opened: OpenedDemo, port: DemoChoice['port'], parts: DemoParts): Promise<void> {
  const { authenticate } = opened
  const door = await opened.console?.()
  const service = await listen({ ...opened.parts, authenticate, ...(door && { console: door }) }, port)
  const { origin } = new URL(service.url)
  door?.announce(origin)
  const link = await door?.newLink(origin)
  const stopped = new Promise<void>((resolve) => parts.onStop(resolve))
  parts.terminal.print(welcome(opened, service.url, link, parts))
  await stopped
  door?.close()
  await service.stop()
}

/** A first try should not end at a port that something else has taken. */
async function listen(parts: HttpParts, port: number | undefined): Promise<HttpService> {
  const { serveOverHttp } = await import('../mcp/http.ts')
  try {
    return await serveOverHttp(parts, { host: HOST, port: port ?? USUAL_PORT })
  } catch (error) {
    if (port !== undefined || !(error instanceof Failure)) throw error
    return serveOverHttp(parts, { host: HOST, port: 0 })
  }
}

function welcome(opened: OpenedDemo, url: string, link: string | undefined, parts: DemoParts): string {
  const { token } = opened
  const configs = clientConfigs({ http: { url, token }, stdio: parts.command })
  const snippets = configs.map(({ client, where, over, text }) => {
    const apart = over === 'stdio' ? APART : ''
    return `${client} (${where})${apart}\n${indent(text)}\n`
  })
  return `Postern is serving a make-believe mailbox.

  Address  ${url}
  Token    ${token}   (send it as "Authorization: Bearer …")
  Console  ${link ?? 'cannot be used'}
           approve there what an agent wants to send; the letters of this mailbox go nowhere
  Commands ${commandIn(opened, parts.program)}
           only so do they reach this mailbox; approve, reject, audit and console --link likewise

Paste one of these into your client:

${snippets.join('\n')}
Nothing leaves this machine. Stop with Ctrl-C.
`
}

const APART = ': starts a mailbox of its own, not in this console; its log says how its letters are approved'

function commandIn({ directory }: OpenedDemo, program: string): string {
  return `POSTERN_DATA_DIR=${directory} ${program} outbox`
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
