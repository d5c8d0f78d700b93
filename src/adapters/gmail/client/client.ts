/**
 * Gmail's REST API by plain fetch: reads that are patient, writes that are never repeated.
 *
 * INVARIANT: a read is asked again at most three times, after 1, 2 and 4 s or as long as Gmail says, where it says to slow down,
 * has a fault, or the connection is lost. A write is sent once; only a 401, which did nothing, is followed by one more try with
 * a new token. A write that may have arrived and was not answered is `outcome_unknown`.
 *
 * `batch` is many requests in flight at once over connections that are kept, not Google's multipart `/batch`: that one
 * costs the same quota, answers when its slowest part does, needs a parser of its own, and has no signal for one part.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../../../core/failure.ts'
import type { Access, Credentials } from '../../../ports/access.ts'
import type { Log } from '../../../ports/log.ts'
import * as failures from '../failures.ts'
import { exchange, type HttpRequest } from './exchange.ts'
import { Lanes } from './lanes.ts'
import { type EncodedBody, jsonBody, type MimeBody, mimeBody } from './message-body.ts'
import { Quota, type QuotaTimes, unitsOf } from './quota.ts'

export const GMAIL_URL = 'https://gmail.googleapis.com'

export interface GmailClientOptions {
  readonly baseUrl?: string
  readonly access: Access
  readonly log: Log
  readonly fetch?: typeof fetch
  readonly times?: QuotaTimes
  readonly timeoutMs?: number
}

export interface GmailRead {
  /** Below `/gmail/v1/users/me/`; ids in it come through `segment`. */
  readonly path: string
  readonly query?: GmailQueryValues
  /** Most bytes of the answer, 8 MB where it is not said. */
  readonly maxBytes?: number
  /** What part of the work it is, for failures. */
  readonly stage?: string
}

export type GmailQueryValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface GmailWrite extends GmailRead {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: Readonly<Record<string, unknown>>
  /** A whole message, put where Gmail wants it beside or inside `body`. */
  readonly mime?: MimeBody
}

export type GmailAnswer<T = unknown> = { readonly kind: 'found'; readonly value: T } | { readonly kind: 'missing' }

export interface GmailClient {
  read(call: GmailRead, signal: AbortSignal): Promise<unknown>
  /**
   * Many reads at once, answered in their order. What is not there is `missing`; any other failure fails all. `take` has each
   * answer as it comes, so that not all of them need be held at once.
   */
  batch(calls: readonly GmailRead[], signal: AbortSignal): Promise<readonly GmailAnswer[]>
  batch<T>(
    calls: readonly GmailRead[],
    signal: AbortSignal,
    take: (value: unknown) => T,
  ): Promise<readonly GmailAnswer<T>[]>
  write(call: GmailWrite, signal: AbortSignal): Promise<unknown>
  /** Ends what is under way. */
  close(): void
}

const TIMEOUT_MS = 60_000
const MOST_BYTES = 8 * 1024 * 1024
const PAUSES_MS = [1000, 2000, 4000]
/** Who is told to wait longer is told so, rather than kept waiting. */
const LONGEST_PAUSE_MS = 30_000
const IN_FLIGHT = 20

/** An id as one segment of a path, whatever stands in it. */
export function segment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new Failure('not_found', 'that is no id of Gmail')
  return encodeURIComponent(id)
}

export function createGmailClient(options: GmailClientOptions): GmailClient {
  const { baseUrl = GMAIL_URL, access, log, times = SYSTEM_TIMES } = options
  const how = { fetch: options.fetch ?? fetch, timeoutMs: options.timeoutMs ?? TIMEOUT_MS }
  const quota = new Quota(times)
  const lanes = new Lanes(IN_FLIGHT)
  const closing = new AbortController()

  /** One request; once more with a new token where the first was refused. */
  async function ask(call: GmailWrite | GmailRead, signal: AbortSignal): Promise<unknown> {
    const method = 'method' in call ? call.method : 'GET'
    await quota.take(unitsOf(method, call.path), signal)
    const body = 'method' in call ? bodyOf(call) : undefined
    const request = { method, url: urlOf(baseUrl, call, body), maxBytes: call.maxBytes ?? MOST_BYTES }
    const withBody = body === undefined ? request : { ...request, body }
    const credentials = await access.credentials(signal)
    try {
      return await exchange(how, withToken(withBody, credentials), signal)
    } catch (error) {
      if (!(error instanceof failures.Refusal) || error.status !== 401) throw error
      log.info({ path: call.path }, 'Gmail refused the access token; asking for another')
      await access.refused(credentials)
    }
    return exchange(how, withToken(withBody, await access.credentials(signal)), signal)
  }

  async function read(call: GmailRead, outer: AbortSignal): Promise<unknown> {
    const signal = AbortSignal.any([outer, closing.signal])
    for (let tries = 0; ; tries++) {
      failures.throwIfAborted(signal)
      try {
        return await lanes.run(signal, () => ask(call, signal))
      } catch (error) {
        const pause = pauseAfter(error, tries)
        if (pause === undefined || signal.aborted) throw readFailure(error, call.stage ?? 'fetch')
        log.info({ path: call.path, pause_ms: pause }, 'Gmail did not answer; asking again')
        await times.sleep(pause, signal)
      }
    }
  }

  return {
    read,
    batch: <T>(calls: readonly GmailRead[], signal: AbortSignal, take?: (value: unknown) => T) =>
      together(calls, signal, async (call, each) => {
        const value = await read(call, each)
        return take === undefined ? (value as T) : take(value)
      }),
    write: async (call, outer) => {
      const signal = AbortSignal.any([outer, closing.signal])
      failures.throwIfAborted(signal)
      try {
        return await lanes.run(signal, () => ask(call, signal))
      } catch (error) {
        throw writeFailure(error, call.stage ?? 'write')
      }
    },
    close: () => closing.abort(failures.clientClosed()),
  }
}

async function together<T>(
  calls: readonly GmailRead[],
  outer: AbortSignal,
  read: (call: GmailRead, signal: AbortSignal) => Promise<T>,
): Promise<readonly GmailAnswer<T>[]> {
  const failed = new AbortController()
  const signal = AbortSignal.any([outer, failed.signal])
  const one = async (call: GmailRead): Promise<GmailAnswer<T>> => {
    try {
      return { kind: 'found', value: await read(call, signal) }
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') return { kind: 'missing' }
      throw error
    }
  }
  try {
    return await Promise.all(calls.map(one))
  } catch (error) {
    // The others' answers are of no use to anybody.
    failed.abort()
    throw error
  }
}

/** How long to wait before asking again; undefined where asking again is of no use. */
function pauseAfter(error: unknown, tries: number): number | undefined {
  const usual = PAUSES_MS[tries]
  if (usual === undefined) return undefined
  if (error instanceof failures.Unanswered) {
    const lost = error.sent && error.failure.code === 'unavailable'
    return lost ? usual : undefined
  }
  if (!(error instanceof failures.Refusal) || !(failures.isSlowDown(error) || failures.isBroken(error)))
    return undefined
  const pause = error.retryAfterMs ?? usual
  return pause > LONGEST_PAUSE_MS ? undefined : pause
}

function readFailure(error: unknown, stage: string): unknown {
  if (error instanceof failures.Unanswered) return error.failure
  return error instanceof failures.Refusal ? failures.refusalFailure(error, stage) : error
}

function writeFailure(error: unknown, stage: string): unknown {
  if (error instanceof failures.Unanswered) {
    return error.sent ? failures.outcomeUnknown(stage, error.failure) : error.failure
  }
  if (!(error instanceof failures.Refusal)) return error
  // A server that broke down may have broken down after it did it.
  return failures.isBroken(error) ? failures.outcomeUnknown(stage, error) : failures.refusalFailure(error, stage)
}

function bodyOf({ body, mime }: GmailWrite): EncodedBody | undefined {
  if (mime !== undefined) return mimeBody(body ?? {}, mime)
  return body === undefined ? undefined : jsonBody(body)
}

function urlOf(baseUrl: string, { path, query = {} }: GmailRead, body: EncodedBody | undefined): URL {
  const root = body?.upload === true ? '/upload/gmail/v1/users/me/' : '/gmail/v1/users/me/'
  const url = new URL(`${root}${path}`, baseUrl)
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) url.searchParams.append(name, String(one))
    }
  }
  if (body?.upload === true) url.searchParams.set('uploadType', 'multipart')
  return url
}

function withToken(request: Omit<HttpRequest, 'token'>, credentials: Credentials): HttpRequest {
  if (credentials.kind === 'token') return { ...request, token: credentials.accessToken }
  throw new Failure('auth_failed', 'Gmail is opened with an access token, not with a password; grant access first')
}

const SYSTEM_TIMES: QuotaTimes = {
  elapsed: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    try {
      await delay(milliseconds, undefined, { signal })
    } catch {
      throw failures.abortFailure(signal)
    }
  },
}
