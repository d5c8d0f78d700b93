/** Where HTTP is served and under which names, as the environment says it; the command line counts more. */
import { Failure } from '../core/failure.ts'

export interface HttpSettings {
  readonly host?: string
  readonly port?: number
  /** The names under which the server is reached besides its own address, as a Host header is compared with them. */
  readonly allowedHosts: readonly string[]
  /** Origins besides the server's own whose pages may send requests, as an Origin header is compared with them. */
  readonly allowedOrigins: readonly string[]
}

export function readHttpSettings(env: Readonly<Record<string, string | undefined>>): HttpSettings {
  const host = env['IMAP_MCP_HTTP_HOST']?.trim()
  const port = env['IMAP_MCP_HTTP_PORT']?.trim()
  return {
    ...(host && { host }),
    ...(port && { port: portFrom(port) }),
    allowedHosts: namesIn(env['POSTERN_HTTP_ALLOWED_HOSTS'] ?? '').map(hostName),
    allowedOrigins: namesIn(env['POSTERN_HTTP_ALLOWED_ORIGINS'] ?? '').map(originFrom),
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

/** Schemes of applications count too: `vscode-webview://…`. */
function originFrom(text: string): string {
  const isOrigin = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@?#\\*]+$/i.test(text) && URL.canParse(text)
  if (isOrigin) return /^https?:/i.test(text) ? new URL(text).origin : text.toLowerCase()
  const cure =
    'origins such as https://app.example.com or http://localhost:6274 with commas between them, without path or wildcard'
  throw new Failure('invalid_input', `POSTERN_HTTP_ALLOWED_ORIGINS must be ${cure}`)
}
