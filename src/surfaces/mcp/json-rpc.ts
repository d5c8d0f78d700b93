/** The little of JSON-RPC that we speak ourselves, beside the SDK. */
export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

export type RequestId = string | number

/** Thrown by a handler, it becomes the JSON-RPC error of exactly this code, message and data. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: Readonly<Record<string, unknown>> | undefined

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message)
    this.code = code
    this.data = data
  }
}

export function errorText(id: RequestId | null, code: number, message: string, data?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } })
}

/** The id of a request, where the value is one or was meant to be one. */
export function requestIdOf(value: unknown): RequestId | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('method' in value)) return undefined
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : undefined
}
