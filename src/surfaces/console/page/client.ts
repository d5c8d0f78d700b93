/**
 * Asks the console's server side.
 *
 * INVARIANT: talks to the origin the page came from and to no other. What changes anything is a POST with the session's token.
 */
import type { ErrorAnswer, Session } from './api-types.ts'

const API = '/console/api'

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

let csrf = ''
/** What starts Postern on its machine; the server tells with the session. */
let program = 'postern'
const onSignedOut = new Set<() => void>()

/** Says when the server no longer knows us. */
export function whenSignedOut(tell: () => void): () => void {
  onSignedOut.add(tell)
  return () => void onSignedOut.delete(tell)
}

export async function openSession(): Promise<Session> {
  return kept(await get<Session>('/session'))
}

export async function signIn(token: string): Promise<Session> {
  return kept(await ask<Session>('/sign-in', { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ token }) }))
}

/** A command as it is typed there. */
export function typed(words: string): string {
  return `${program} ${words}`
}

export async function signOut(): Promise<void> {
  await post('/sign-out', {})
  csrf = ''
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, { ...(signal && { signal }) })
}

export function post<T>(path: string, body: object): Promise<T> {
  const headers = { ...JSON_BODY, 'X-Postern-CSRF': csrf }
  return ask<T>(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

export function eventsAddress(): string {
  return `${API}/events`
}

const JSON_BODY = { 'Content-Type': 'application/json' }

function kept(session: Session): Session {
  csrf = session.csrf
  program = session.program
  return session
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await reach(path, init)
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer as T
  if (response.status === 401 && path !== '/session' && path !== '/sign-in') for (const tell of onSignedOut) tell()
  const { code = 'internal', message = `the server answered ${response.status}; see its log` } = errorIn(answer)
  throw new ApiFailure(response.status, code, message)
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(API + path, { credentials: 'same-origin', cache: 'no-store', redirect: 'error', ...init })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiFailure(
      0,
      'unreachable',
      'Postern does not answer. See that it still runs; the page then goes on by itself.',
    )
  }
}

function errorIn(answer: unknown): Partial<ErrorAnswer['error']> {
  const { error } = (answer ?? {}) as { readonly error?: unknown }
  return typeof error === 'object' && error !== null ? (error as ErrorAnswer['error']) : {}
}
