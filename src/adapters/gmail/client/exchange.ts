/**
 * One HTTP request to Gmail and its answer.
 *
 * INVARIANT: bounded in time and size and never redirected, so that the token goes nowhere else. Ends in the answer's JSON, in a
 * `Refusal` or in `Unanswered`; nothing is repeated here.
 */
import { abortFailure, answerTooLarge, networkFailure, Refusal, silence, Unanswered, unreadable } from '../failures.ts'

export interface ExchangeOptions {
  readonly fetch: typeof fetch
  readonly timeoutMs: number
}

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly token: string
  readonly body?: { readonly type: string; readonly bytes: string | Uint8Array<ArrayBuffer> }
  readonly maxBytes: number
}

const MOST_ERROR_BYTES = 65_536

export async function exchange(options: ExchangeOptions, request: HttpRequest, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) throw new Unanswered(false, abortFailure(signal))
  const timeout = AbortSignal.timeout(options.timeoutMs)
  let heard: Response | undefined
  try {
    const response = await options.fetch(request.url, requestInit(request, AbortSignal.any([signal, timeout])))
    heard = response
    if (!response.ok) throw await refusalOf(response)
    return parsed(await readBounded(response, request.maxBytes))
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unanswered) throw error
    // A refusal whose text was lost is a refusal still.
    if (heard !== undefined && !heard.ok) throw new Refusal(heard.status, '', '', retryAfterMs(heard))
    if (signal.aborted) throw new Unanswered(true, abortFailure(signal))
    if (timeout.aborted) throw new Unanswered(true, silence(options.timeoutMs))
    throw networkFailure(error)
  }
}

function requestInit({ method, token, body }: HttpRequest, signal: AbortSignal): RequestInit {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
  const common = { method, signal, redirect: 'manual' } as const
  if (body === undefined) return { ...common, headers }
  return { ...common, headers: { ...headers, 'Content-Type': body.type }, body: body.bytes }
}

async function refusalOf(response: Response): Promise<Refusal> {
  const text = await readBounded(response, MOST_ERROR_BYTES)
  return new Refusal(response.status, reasonIn(text), text, retryAfterMs(response))
}

/** `Retry-After` in seconds or as a date. */
function retryAfterMs({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

/** Google's own word for why, wherever it stands. */
function reasonIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { errors?: unknown; details?: unknown; status?: unknown } }
    const said = [...listOf(error?.errors), ...listOf(error?.details)].map((entry) => wordOf(entry))
    return said.find((word) => word !== '') ?? (typeof error?.status === 'string' ? error.status : '')
  } catch {
    return ''
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function wordOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null || !('reason' in entry)) return ''
  return typeof entry.reason === 'string' ? entry.reason : ''
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Unanswered(true, unreadable())
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    length += chunk.byteLength
    if (length > maxBytes) throw new Unanswered(true, answerTooLarge())
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length).toString('utf8')
}
