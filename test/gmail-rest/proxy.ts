/**
 * An HTTP proxy in front of the emulator: it makes faults, counts requests, and adds what real Gmail has and the emulator has not
 * (see `supplement.ts`).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answered, Supplement } from './supplement.ts'

export interface Fault {
  /** Which requests, as `METHOD /path?query`; the next one of any kind when absent. */
  readonly on?: RegExp
  /** How often; once when absent. */
  readonly times?: number
  readonly what: Damage
}

export type Damage =
  /** The connection is cut: the request never reaches Gmail. */
  | { readonly kind: 'drop_before' }
  /** Gmail does it, and the connection is cut before it can say so. */
  | { readonly kind: 'drop_after' }
  /** Gmail does it and its answer comes late. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** Something happens first; then Gmail does it, or never hears of it, or has done it already. Nothing is answered. */
  | { readonly kind: 'meanwhile'; readonly gmail: 'does' | 'never' | 'did'; readonly happens: () => Promise<void> }
  /** Something else answers. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
    }
  /** Gmail does it, and its answer ends in the middle: as if whole, or with the connection. */
  | { readonly kind: 'truncate'; readonly cut?: boolean }

export interface FaultProxy {
  readonly url: string
  /** What was asked, as `METHOD /path?query`, in order. */
  readonly requests: string[]
  fault(fault: Fault): void
  /** Is told of everything that Gmail did, as `METHOD /path?query`, and what it said. */
  heed(listener: (line: string, answered: Answered) => void): void
  close(): Promise<void>
}

/** What Google answers when a user is too fast. */
export const TOO_FAST: Damage = {
  kind: 'answer',
  status: 429,
  headers: { 'Retry-After': '1' },
  body: googleError(429, 'rateLimitExceeded', 'RESOURCE_EXHAUSTED'),
}

export function googleError(code: number, reason: string, status: string): unknown {
  const message = 'the words of Google, which nobody else may see'
  return { error: { code, message, status, errors: [{ domain: 'global', reason, message }] } }
}

export async function startProxy(supplement: Supplement): Promise<FaultProxy> {
  const requests: string[] = []
  const listeners: ((line: string, answered: Answered) => void)[] = []
  const heard: Supplement = {
    answer: async (asked) => {
      const answered = await supplement.answer(asked)
      for (const listener of listeners) listener(`${asked.method} ${asked.url.pathname}${asked.url.search}`, answered)
      return answered
    },
  }
  const faults: { fault: Fault; left: number }[] = []
  const damageFor = (line: string): Damage | undefined => {
    const found = faults.find(({ fault, left }) => left > 0 && (fault.on?.test(line) ?? true))
    if (found === undefined) return undefined
    found.left -= 1
    return found.fault.what
  }
  const server = createServer((request, response) => {
    const line = `${request.method} ${decodeURIComponent((request.url ?? '').replaceAll('+', ' '))}`
    requests.push(line)
    answer(heard, request, response, damageFor(line)).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fault: (fault) => faults.push({ fault, left: fault.times ?? 1 }),
    heed: (listener) => listeners.push(listener),
    close: async () => {
      const gone = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await gone
    },
  }
}

async function answer(
  supplement: Supplement,
  request: IncomingMessage,
  response: ServerResponse,
  damage: Damage | undefined,
): Promise<void> {
  const body = await bodyOf(request)
  if (damage?.kind === 'drop_before') return void request.socket.destroy()
  if (damage?.kind === 'answer') {
    const { status, headers = {}, body: said } = damage
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    return void response.end(said === undefined ? '' : JSON.stringify(said))
  }
  if (damage?.kind === 'meanwhile' && damage.gmail !== 'did') await damage.happens()
  if (damage?.kind === 'meanwhile' && damage.gmail === 'never') return void request.socket.destroy()
  const { status, text } = await supplement.answer({
    method: request.method ?? 'GET',
    url: new URL(request.url ?? '/', 'http://gmail'),
    type: request.headers['content-type'] ?? '',
    authorization: request.headers.authorization ?? '',
    body,
  })
  if (damage?.kind === 'meanwhile' && damage.gmail === 'did') await damage.happens()
  if (damage?.kind === 'drop_after' || damage?.kind === 'meanwhile') return void request.socket.destroy()
  if (damage?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, damage.milliseconds))
  if (damage?.kind === 'truncate') return void truncated(response, text, damage.cut === true)
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(text)
}

function truncated(response: ServerResponse, text: string, cut: boolean): void {
  const half = text.slice(0, Math.floor(text.length / 2))
  if (!cut) {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    return void response.end(half)
  }
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.write(half, () => response.destroy())
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
