/**
 * An HTTP server for the console alone, on loopback.
 *
 * INVARIANT: a request is looked at only if its Host names this machine's loopback, so that no other name can be made to lead here.
 */
import { createServer } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { validateHostHeader } from '@modelcontextprotocol/server'
import { NOT_FOUND } from '../console/answers.ts'
import type { ConsoleDoor } from '../console/console.ts'
import { guarded } from '../console/headers.ts'
import { LIMITS, listen } from '../mcp/http.ts'
import { USUAL_HOST } from './choices.ts'

export interface ConsoleService {
  /** Such as `http://127.0.0.1:8026`. */
  readonly origin: string
  stop(): Promise<void>
}

const NAMES = ['localhost', '127.0.0.1']
const FAREWELL_MS = 500

export async function serveConsole(door: ConsoleDoor, port: number): Promise<ConsoleService> {
  const server = createServer(LIMITS)
  const bound = await listen(server, USUAL_HOST, port)
  const answer = async (request: Request, env: unknown): Promise<Response> => {
    const { incoming } = env as HttpBindings
    for (const host of [request.headers.get('host'), new URL(request.url).host]) {
      if (!validateHostHeader(host, NAMES).ok) return told(NOT_HERE, 403)
    }
    const from = { address: incoming.socket.remoteAddress ?? 'unknown', target: incoming.url ?? '' }
    return (await door.answer(request, from)) ?? told(NOT_FOUND, 404)
  }
  const listener = getRequestListener(answer, { overrideGlobalObjects: false })
  server.on('request', (request, response) => void listener(request, response))
  return {
    origin: `http://${USUAL_HOST}:${bound}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const late = setTimeout(() => server.closeAllConnections(), FAREWELL_MS)
      server.closeIdleConnections()
      await closed
      clearTimeout(late)
    },
  }
}

const NOT_HERE = { error: { code: 'host_not_allowed', message: 'this name does not lead here' } }

function told(answer: object, status: number): Response {
  return guarded(Response.json(answer, { status }))
}
