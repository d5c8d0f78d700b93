/**
 * Variables that look like settings of ours and are none, and those whose value is not understood.
 *
 * INVARIANT: tells of names only. No value of a variable is part of a message.
 */
import { nearest } from '../core/text/nearest.ts'
import { straysIn } from './environment.ts'

export interface StrayVariable {
  readonly name: string
  readonly why: string
  /** Its name as it was probably meant. */
  readonly meant?: string
}

type Variables = Readonly<Record<string, string | undefined>>

/** Every variable of ours that has one name. */
export const VARIABLES = [
  'POSTERN_CONFIG_DIR',
  'POSTERN_DATA_DIR',
  'POSTERN_VAULT',
  'POSTERN_REQUIRE_DIGEST',
  'POSTERN_DEBUG',
  'POSTERN_HTTP_TOKEN',
  'POSTERN_HTTP_ALLOWED_HOSTS',
  'POSTERN_HTTP_ALLOWED_ORIGINS',
  'POSTERN_GMAIL_ENDPOINT',
  'POSTERN_CACHE_AT_EXIT',
  'IMAP_MCP_CONFIG_DIR',
  'IMAP_MCP_CALLER_ID',
  'IMAP_MCP_CALLER_TOKEN',
  'IMAP_MCP_HTTP_HOST',
  'IMAP_MCP_HTTP_PORT',
  'IMAP_MCP_RETRY_LIMIT',
  'IMAP_MCP_APPEND_TIMEOUT',
]
const FAMILIES = [
  /^IMAP_MCP_SECRET__/,
  /^IMAP_MCP_OAUTH_((GOOGLE|MICROSOFT|GENERIC)_)?(CLIENT_ID|CLIENT_SECRET|REDIRECT_PORT|TENANT|ISSUER|AUTH_URL|TOKEN_URL)$/,
]
const OURS = /^(POSTERN|IMAP_MCP)_/

export function strayVariables(env: Variables): readonly StrayVariable[] {
  const names = Object.keys(env).filter((name) => env[name]?.trim())
  const unknown = names.filter((name) => OURS.test(name) && !isKnownVariable(name))
  return [...mailStrays(env), ...unknown.map(stray), ...notUnderstood(env)]
}

export function isKnownVariable(name: string): boolean {
  return VARIABLES.includes(name) || FAMILIES.some((family) => family.test(name))
}

function stray(name: string): StrayVariable {
  const meant = nearest(name, VARIABLES)
  return { name, why: 'is not a setting and is ignored', ...(meant !== undefined && { meant }) }
}

function mailStrays(env: Variables): readonly StrayVariable[] {
  return straysIn(env).map((sentence) => {
    const [name = '', ...rest] = sentence.split(' ')
    const meant = /MAIL_IMAP_\w+/.exec(rest.join(' '))?.[0]
    return { name, why: 'is not a setting and is ignored', ...(meant !== undefined && { meant }) }
  })
}

const PLAIN = ['true', 'false', '1', '0', 'yes', 'no', 'on', 'off']

function notUnderstood(env: Variables): readonly StrayVariable[] {
  const limit = env['IMAP_MCP_RETRY_LIMIT']?.trim()
  const unclear = ['DEV_MODE', 'POSTERN_REQUIRE_DIGEST'].filter((name) => {
    const value = env[name]?.trim().toLowerCase()
    return value && !PLAIN.includes(value)
  })
  return [
    ...unclear.map((name) => ({
      name,
      why: 'is neither true nor false, and counts as true',
      meant: `set ${name} to true or false`,
    })),
    ...(limit && !/^\d{1,3}$/.test(limit)
      ? [
          {
            name: 'IMAP_MCP_RETRY_LIMIT',
            why: 'is no whole number below 1000 and is ignored',
            meant: 'set IMAP_MCP_RETRY_LIMIT to a whole number',
          },
        ]
      : []),
  ]
}
