/**
 * One request to the provider.
 *
 * INVARIANT: bounded in time and size, never redirected, and of the answer only what we asked for is kept: an id token
 * that comes along unasked is dropped unread.
 */
import * as oauth from 'oauth4webapi'
import { AnswerTooLarge } from './failures.ts'
import { isLoopback, type OAuthSettings, REQUEST_TIMEOUT_MS } from './settings.ts'

const MOST_BYTES = 65_536

export interface RequestOptions {
  readonly signal: AbortSignal
  readonly [oauth.allowInsecureRequests]: boolean
  readonly [oauth.customFetch]: typeof boundedFetch
}

export function requestOptions({ requestTimeoutMs }: OAuthSettings, to: URL, signal?: AbortSignal): RequestOptions {
  const timeout = AbortSignal.timeout(requestTimeoutMs ?? REQUEST_TIMEOUT_MS)
  return {
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    [oauth.allowInsecureRequests]: isLoopback(to),
    [oauth.customFetch]: boundedFetch,
  }
}

interface Request {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: URLSearchParams | undefined
  readonly signal?: AbortSignal | undefined
}

async function boundedFetch(url: string, { method, headers, body, signal }: Request): Promise<Response> {
  const response = await fetch(url, {
    ...{ method, headers, redirect: 'manual' },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await readBounded(response)
  const { status, headers: answered } = response
  // What was decompressed has neither its old encoding nor its old length.
  const kept = new Headers(answered)
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name)
  const hasBody = status >= 200 && ![204, 205, 304].includes(status)
  return new Response(hasBody ? withoutIdToken(text) : null, { status: status < 200 ? 502 : status, headers: kept })
}

async function readBounded(response: Response): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > MOST_BYTES) throw new AnswerTooLarge('answer too large')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function withoutIdToken(text: string): string {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null || !('id_token' in answer)) return text
    const { id_token: _, ...rest } = answer
    return JSON.stringify(rest)
  } catch {
    return text
  }
}
