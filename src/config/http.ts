/** Where HTTP is served and under which names, as the environment says it; the command line counts more. */
import { Failure } from '../core/failure.ts'

export interface HttpSettings {
  readonly host?: string
  readonly port?: number
  /** The names under which the server is reached besides its own address, as a Host header is compared with them. */
  readonly allowedHosts: readonly string[]
}

export function readHttpSettings(env: Readonly<Record<string, string | undefined>>): HttpSettings {
  const host = env['IMAP_MCP_HTTP_HOST']?.trim()
  const port = env['IMAP_MCP_HTTP_PORT']?.trim()
  return {
    ...(host && { host }),
    ...(port && { port: portFrom(port) }),
    allowedHosts: namesIn(env['POSTERN_HTTP_ALLOWED_HOSTS'] ?? '').map(hostName),
  }
}

function portFrom(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new Failure('invalid_input', 'IMAP_MCP_HTTP_PORT must be a number from 0 to 65535')
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** As a browser writes it: lower case, international names in their ASCII form, no port. */
function hostName(name: string): string {
  const url = /^[^\s/@?#\\*]+$/.test(name) ? URL.parse(`http://${name}`) : null
  if (url !== null) return url.hostname
  const cure = 'names such as mail.example.com with commas between them, without scheme, path or wildcard'
  throw new Failure('invalid_input', `POSTERN_HTTP_ALLOWED_HOSTS must be ${cure}`)
}
