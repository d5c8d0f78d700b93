/**
 * The SDK's low-level `Server`, with its corners rounded off.
 *
 * INVARIANT: a handler's `RpcError` reaches the client exactly as thrown; anything else it throws is reported and
 * leaves as -32603 without its words.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type Implementation,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  ProtocolError,
  type Result,
  Server,
  type ServerContext,
  type StandardSchemaV1,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server'
import type { CallsUnderWay } from './calls.ts'
import type { ClientSide } from './inquiry.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from './json-rpc.ts'
import type { Tell } from './progress.ts'

export interface WireParts {
  readonly version: string
  /** What an agent is told about this server when it connects. */
  readonly instructions?: string
  readonly calls: CallsUnderWay
  /** Told about whatever should not have happened in here. */
  readonly onBug: (error: Error) => void
  /** Told what clients did that makes no sense, and of connections that broke: worth knowing only when looking for it. */
  readonly onOddity?: (error: Error) => void
  /** Told of every request once it is answered. */
  readonly onAnswered?: (answered: Answered) => void
  /** What goes with the greeting, for whoever looks for a fault. */
  readonly versions?: () => Promise<Readonly<Record<string, unknown>>>
}

export interface Answered {
  readonly method: string
  /** Of a tool call, where there is such a tool. */
  readonly tool?: string | undefined
  readonly durationMs: number
  /** Absent where it was answered with a result. */
  readonly code?: number | undefined
}

export type Params = Readonly<Record<string, unknown>>
export type Handler = (
  params: Params,
  signal: AbortSignal,
  tell: Tell | undefined,
  client: ClientSide,
) => Promise<Result> | Result
type WireHandler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/** The SDK changes -32002 into -32602 on its way out; our contracts keep the older code, so it travels in disguise. */
const NOT_FOUND = -32002
const DISGUISED_NOT_FOUND = -1_032_002

/** Accepts any params: we check them ourselves and say what is wrong in our own words. */
const anyParams: StandardSchemaV1<unknown, Params> = {
  '~standard': { version: 1, vendor: 'postern', validate: (value: unknown) => ({ value: value as Params }) },
}

const noValidator = {
  getValidator: (): never => {
    throw new Error('what clients answer is looked at by ourselves')
  },
}

function identity({ version }: WireParts): Implementation {
  return { name: 'postern', title: 'Postern', version }
}

export class WireServer extends Server {
  readonly hasResources: boolean
  readonly #parts: WireParts
  readonly #isTool: (name: string) => boolean
  /** As declared in the handshake; in the stateless revision every request says it anew. */
  #clientCapabilities: unknown

  constructor(parts: WireParts, hasResources: boolean, isTool: (name: string) => boolean) {
    super(identity(parts), {
      capabilities: { tools: {}, ...(hasResources ? { resources: {} } : {}) },
      // The default one loads and builds a whole JSON schema compiler for every server.
      jsonSchemaValidator: noValidator,
      ...(parts.instructions === undefined ? {} : { instructions: parts.instructions }),
    })
    this.hasResources = hasResources
    this.#parts = parts
    this.#isTool = isTool
    if (parts.onOddity !== undefined) this.onerror = parts.onOddity
    this.#shakeHandsQuickly()
  }

  answer(method: string, handler: Handler): void {
    this.setRequestHandler(method, { params: anyParams }, async (params: Params, { mcpReq }: ServerContext) => {
      const tell = this.#teller(mcpReq)
      const envelope: Params = mcpReq.envelope ?? {}
      const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? this.#clientCapabilities
      const client = { capabilities, request: mcpReq }
      const work = async (signal: AbortSignal): Promise<Result> => handler(params, signal, tell, client)
      return this.#parts.calls.run(mcpReq.signal, work).catch(this.#toWire)
    })
  }

  /**
   * The SDK's own handlers first build the schemas of a whole protocol revision, at the one moment when a host is
   * waiting for us to start.
   */
  #shakeHandsQuickly(): void {
    this.answer('initialize', async ({ protocolVersion, capabilities: declared }) => {
      this.#clientCapabilities = declared
      const version = SUPPORTED_PROTOCOL_VERSIONS.find((known) => known === protocolVersion) ?? LATEST_PROTOCOL_VERSION
      this._negotiatedProtocolVersion = version
      this.transport?.setProtocolVersion?.(version)
      const { instructions, versions } = this.#parts
      const capabilities = this.getCapabilities()
      return {
        protocolVersion: version,
        capabilities,
        serverInfo: identity(this.#parts),
        ...(instructions && { instructions }),
        ...(versions && { _meta: await versions() }),
      }
    })
    this.setNotificationHandler('notifications/initialized', { params: anyParams }, () => {})
  }

  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      if (!('error' in message) || message.error.code !== DISGUISED_NOT_FOUND) return send(message, options)
      return send({ ...message, error: { ...message.error, code: NOT_FOUND } }, options)
    }
    await super.connect(transport)
  }

  /** Our handlers check requests and results themselves, so the SDK's second look at both is left out. */
  protected override _wrapHandler(method: string, handler: WireHandler): WireHandler {
    return async (request, context) => {
      const began = performance.now()
      let code: number | undefined
      try {
        return await handler(request, context)
      } catch (error) {
        // Only the SDK's own handlers throw anything else, and only over parameters of the wrong shape.
        const isKnown = error instanceof RpcError || error instanceof ProtocolError
        const known = isKnown ? error : new RpcError(INVALID_PARAMS, `the parameters of ${method} are not valid`)
        code = known.code === DISGUISED_NOT_FOUND ? NOT_FOUND : known.code
        throw known
      } finally {
        const tool = this.#toolOf(request)
        this.#parts.onAnswered?.({ method, tool, durationMs: performance.now() - began, code })
      }
    }
  }

  /** What a client calls a tool that does not exist is its own words, and goes nowhere. */
  #toolOf({ method, params }: JSONRPCRequest): string | undefined {
    const name = method === 'tools/call' ? params?.['name'] : undefined
    return typeof name === 'string' && this.#isTool(name) ? name : undefined
  }

  /** Only a client that asked to be told is told. */
  #teller({ _meta, notify }: ServerContext['mcpReq']): Tell | undefined {
    const progressToken = _meta?.progressToken
    if (progressToken === undefined) return undefined
    return (progress) => {
      const params = { progressToken, ...progress }
      notify({ method: 'notifications/progress', params }).catch((error: Error) => this.#parts.onOddity?.(error))
    }
  }

  readonly #toWire = (error: unknown): never => {
    if (!(error instanceof RpcError)) {
      this.#parts.onBug(error instanceof Error ? error : new Error('a value that is no error was thrown'))
      throw new RpcError(INTERNAL_ERROR, 'internal error')
    }
    throw error.code === NOT_FOUND ? new RpcError(DISGUISED_NOT_FOUND, error.message, error.data) : error
  }
}
