/** What the system says of a connection that did not come about. */
import type { Fault } from './look.ts'

const FAULTS: Readonly<Record<string, Fault>> = {
  ENOTFOUND: 'no_such_host',
  EAI_AGAIN: 'no_such_host',
  EAI_NODATA: 'no_such_host',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'not_tls',
  EPIPE: 'not_tls',
  EPROTO: 'not_tls',
}

export function faultOf(error: unknown): Fault {
  const code = codeOf(error)
  const known = FAULTS[code]
  if (known !== undefined) return known
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') ? 'not_tls' : 'unreachable'
}

/** A name with several addresses fails with one error for each of them. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && codeIn(error) === '') return codeIn(error.errors[0])
  return codeIn(error)
}

function codeIn(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
