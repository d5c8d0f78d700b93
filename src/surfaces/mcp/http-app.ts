/**
 * What answers which path, and in what order a request is checked: Host, whether it is for the console, Origin, token, size,
 * then MCP.
 *
 * INVARIANT: without a token only `/health` and the resource metadata answer 200, and a refusal never says why. What is the
 * console's is answered by it alone: no token opens that, and its cookie opens nothing here.
 */
import type { HttpBindings } from '@hono/node-server'
import { createMcpHandler, readRequestBody, validateHostHeader } from '@modelcontextprotocol/server'
import { type Context, Hono } from 'hono'
import type { ConsoleDoor } from '../console/console.ts'
import type { Authenticate } from './bearer.ts'
import { errorText, INVALID_REQUEST, PARSE_ERROR } from './json-rpc.ts'
import { originCheck } from './origins.ts'
import { makeServer, type ServerParts, type Visitor } from './server.ts'

export interface HttpParts extends ServerParts {
  readonly authenticate: Authenticate
  /** Where people look and decide. It has a lock of its own, and checks Origin itself. */
  readonly console?: ConsoleDoor
  /** Host names besides the loopback ones under which this server may be reached, without ports. */
  readonly allowedHosts?: readonly string[]
  /** Origins besides its own whose pages may send requests here. */
  readonly allowedOrigins?: readonly string[]
  /** Whether calls can be recorded at this moment; where they cannot, every call is refused. */
  canRecord?(): Promise<boolean>
  /** Issuers of tokens, for clients that can obtain one by OAuth. */
  readonly authorizationServers?: readonly string[]
}

export interface App {
  fetch(request: Request, env: unknown): Response | Promise<Response>
  close(): Promise<void>
}

const MAX_BODY_BYTES = 4 * 1024 * 1024
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** Hono's word for it. */
const EVERY_METHOD = 'ALL'
const METADATA_PATH = '/.well-known/oauth-protected-resource'

type Env = { Bindings: HttpBindings; Variables: { visitor: Visitor } }

export interface ServedAt {
  readonly url: string
  readonly host: string
  readonly port: number
}

export function makeApp(parts: HttpParts, place: ServedAt): App {
  const { allowedHosts: proxies = [], allowedOrigins: allowed = [] } = parts
  const own = [...LOOPBACK, place.host.includes(':') ? `[${place.host}]` : place.host]
  const names = [...own, ...proxies]
  const isOriginAllowed = originCheck({ names: own, port: place.port, proxies, allowed })
  const visitors = new WeakMap<Request, Visitor>()
  const handler = createMcpHandler(({ era, requestInfo }) => makeServer(parts, visitorOf(visitors, requestInfo), era), {
    onerror: (error) => parts.onOddity?.(error),
    maxRequestBodySize: MAX_BODY_BYTES,
  })
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    await next()
    // Whether a connection lives on is for its client and the server to say, not for the answer.
    c.res.headers.delete('connection')
  })
  app.use(async (c, next) => {
    // A request line may name a host too, and then that one counts.
    for (const host of [c.req.header('host'), new URL(c.req.url).host]) {
      if (!validateHostHeader(host, names).ok) return c.json({ error: 'host_not_allowed' }, 403)
    }
    return next()
  })
  app.use(async (c, next) => {
    const { incoming } = c.env
    const from = { address: incoming.socket.remoteAddress ?? 'unknown', target: incoming.url ?? '' }
    return (await parts.console?.answer(c.req.raw, from)) ?? next()
  })
  app.use(async (c, next) => {
    if (!isOriginAllowed(c.req.header('origin'))) return c.json({ error: 'origin_not_allowed' }, 403)
    return next()
  })
  app.get('/health', async (c) => {
    const ok = (await parts.canRecord?.()) ?? true
    return c.json({ ok }, ok ? 200 : 503)
  })
  app.get(METADATA_PATH, (c) => c.json(metadata(parts, place.url)))
  app.get(`${METADATA_PATH}/mcp`, (c) => c.json(metadata(parts, place.url)))
  app.use(async (c, next) => {
    const answer = await parts.authenticate(credentialsOf(c))
    if (answer.kind === 'refused') return unauthorized(c, place.url)
    c.set('visitor', answer.visitor)
    return next()
  })
  app.on(EVERY_METHOD, ['/mcp', '/mcp/'], async (c) => {
    const request = c.req.raw
    visitors.set(request, c.get('visitor'))
    if (request.method !== 'POST') return handler.fetch(request)
    const body = await readRequestBody(request, MAX_BODY_BYTES)
    if (body.tooLarge) return c.body(errorText(null, INVALID_REQUEST, TOO_LARGE), 413, JSON_BODY)
    const parsedBody = parseBody(body.text)
    if (parsedBody === undefined) return c.body(errorText(null, PARSE_ERROR, NOT_JSON), 400, JSON_BODY)
    return handler.fetch(request, { parsedBody })
  })
  app.notFound((c) => c.json({ error: 'not_found' }, 404))
  app.onError((error, c) => {
    // A client that left in the middle of its request is no bug of ours.
    if (c.req.raw.signal.aborted) parts.onOddity?.(error)
    else parts.onBug(error)
    return c.json({ error: 'internal' }, 500)
  })
  return { fetch: (request, env) => app.fetch(request, env as HttpBindings), close: () => handler.close() }
}

const JSON_BODY = { 'Content-Type': 'application/json' }
const TOO_LARGE = `a request may have at most ${MAX_BODY_BYTES} bytes`
const NOT_JSON = 'the request body is not valid JSON'

function visitorOf(visitors: WeakMap<Request, Visitor>, request: Request | undefined): Visitor {
  const visitor = request === undefined ? undefined : visitors.get(request)
  if (visitor === undefined) throw new Error('a request reached MCP without a caller')
  return visitor
}

function credentialsOf(c: Context<Env>): Parameters<Authenticate>[0] {
  return {
    authorization: c.req.header('authorization'),
    callerId: c.req.header('x-mcp-caller-id'),
    address: c.env.incoming.socket.remoteAddress ?? 'unknown',
  }
}

function unauthorized(c: Context<Env>, url: string): Response {
  const metadataUrl = new URL(`${METADATA_PATH}/mcp`, url).href
  c.header('WWW-Authenticate', `Bearer realm="postern", resource_metadata="${metadataUrl}"`)
  return c.json({ error: 'auth_failed' }, 401)
}

function metadata({ authorizationServers }: HttpParts, url: string): Record<string, unknown> {
  return {
    resource: url,
    resource_name: 'Postern',
    bearer_methods_supported: ['header'],
    ...(authorizationServers === undefined ? {} : { authorization_servers: authorizationServers }),
  }
}

/** Undefined for what is no JSON; no JSON text is undefined. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
