/**
 * Accounts and settings from `MAIL_IMAP_*` variables.
 *
 * INVARIANT: read whole or not at all. Every problem is found before any is reported, each names its variable, and no
 * value of a secret is ever part of a message.
 */
import { readFileSync } from 'node:fs'
import { Failure } from '../core/failure.ts'
import { nearest } from '../core/text/nearest.ts'
import { isHost, isLoopback } from './hosts.ts'

export type Tls = 'implicit' | 'starttls' | 'none'

export interface Server {
  readonly host: string
  readonly port: number
  readonly tls: Tls
  readonly user: string
  readonly password: string
}

export interface EnvironmentAccount {
  readonly id: string
  readonly imap: Server
  /** The account's own address, where it is known. */
  readonly email: string | undefined
  /** How much of it is kept on this machine. */
  readonly mirror: 'off' | 'headers' | 'full'
  readonly smtp: Server | undefined
}

/** What holds for every mail server, in a tree too. */
export interface ServerSettings {
  readonly timeouts: Timeouts
  /** PEM text of a private certificate authority, trusted beside the system's. */
  readonly ca: string | undefined
}

export interface Timeouts {
  readonly connectMs: number
  readonly greetingMs: number
  readonly socketMs: number
  /** How long a server may take to store one message, where that is bounded. */
  readonly appendMs?: number
}

export interface EnvironmentConfig extends ServerSettings {
  readonly accounts: readonly EnvironmentAccount[]
  readonly writeEnabled: boolean
  /** The bearer token for HTTP clients; made at start when absent. */
  readonly httpToken: string | undefined
  /** What looks like a setting of ours and is none: worth telling, no reason not to start. */
  readonly strays: readonly string[]
}

const PREFIX = 'MAIL_IMAP_'
const ACCOUNT_ID = /^[a-z0-9_-]{1,64}$/
const LONGEST_MS = 3_600_000
const SHORTEST_TOKEN = 20

interface Ports {
  readonly secure: number
  readonly starttls: number
}

const IMAP_PORTS: Ports = { secure: 993, starttls: 993 }
/** Servers speak TLS from the first byte on one, and STARTTLS on the other; never both on one. */
const SMTP_PORTS: Ports = { secure: 465, starttls: 587 }

type Variables = Readonly<Record<string, string | undefined>>

/** No accounts in the environment is no error: they may be configured elsewhere. */
export function readEnvironment(env: Variables): EnvironmentConfig {
  const reader = new VariableReader(env)
  const config: EnvironmentConfig = {
    accounts: accountNames(env, reader).map((name) => readAccount(name, reader)),
    writeEnabled: reader.flag(`${PREFIX}WRITE_ENABLED`, false),
    ...serverSettings(reader),
    httpToken: reader.token('POSTERN_HTTP_TOKEN'),
    strays: straysIn(env),
  }
  reader.throwProblems()
  return config
}

/** Throws a `Failure` that names each variable whose value cannot be used. */
export function readServerSettings(env: Variables): ServerSettings {
  const reader = new VariableReader(env)
  const settings = serverSettings(reader)
  reader.throwProblems()
  return settings
}

function serverSettings(reader: VariableReader): ServerSettings {
  const appendSeconds = reader.number('IMAP_MCP_APPEND_TIMEOUT', 0, LONGEST_MS / 1000)
  return {
    timeouts: {
      connectMs: reader.number(`${PREFIX}CONNECT_TIMEOUT_MS`, 30_000, LONGEST_MS),
      greetingMs: reader.number(`${PREFIX}GREETING_TIMEOUT_MS`, 15_000, LONGEST_MS),
      socketMs: reader.number(`${PREFIX}SOCKET_TIMEOUT_MS`, 300_000, LONGEST_MS),
      ...(appendSeconds > 0 && { appendMs: appendSeconds * 1000 }),
    },
    ca: reader.file(`${PREFIX}CA_CERT_PATH`),
  }
}

const OF_ALL = ['WRITE_ENABLED', 'CONNECT_TIMEOUT_MS', 'GREETING_TIMEOUT_MS', 'SOCKET_TIMEOUT_MS', 'CA_CERT_PATH']
const OF_ACCOUNT = /._(SMTP_)?(HOST|PORT|SECURE|USER|PASS)$|._(ALLOW_CLEARTEXT|EMAIL|MIRROR)$/

/** What looks like a setting of accounts and is none, in sentences that begin with its name. */
export function straysIn(env: Variables): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith(PREFIX))
  return names
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !OF_ALL.includes(name) && !OF_ACCOUNT.test(name))
    .map((name) => {
      const meant = /^(HOST|PORT|SECURE|USER|PASS)$/.test(name) ? `DEFAULT_${name}` : nearest(name, OF_ALL)
      const hint = meant === undefined ? '' : `; did you mean ${PREFIX}${meant}?`
      return `${PREFIX}${name} is not a setting and was ignored${hint}`
    })
}

/** `MAIL_IMAP_<NAME>_HOST` names an account; so does a USER or PASS whose HOST was forgotten. */
function accountNames(env: Variables, reader: VariableReader): string[] {
  const names = new Set<string>()
  for (const [variable, value] of Object.entries(env)) {
    const name = /^MAIL_IMAP_(.+)_(?:HOST|USER|PASS)$/.exec(variable)?.[1]
    if (name !== undefined && !name.endsWith('_SMTP') && value?.trim()) names.add(name)
  }
  const byId = new Map<string, string>()
  for (const name of [...names].sort()) {
    const id = name.toLowerCase()
    const other = byId.get(id)
    if (other !== undefined) reader.problem(`${PREFIX}${name}_HOST and ${PREFIX}${other}_HOST name the same account`)
    if (!ACCOUNT_ID.test(id))
      reader.problem(`${PREFIX}${name}_HOST: an account name has 1 to 64 letters, digits, _ or -`)
    byId.set(id, name)
  }
  return [...byId.values()]
}

function readAccount(name: string, reader: VariableReader): EnvironmentAccount {
  const of = (suffix: string): string => `${PREFIX}${name}_${suffix}`
  const cleartext = reader.flag(of('ALLOW_CLEARTEXT'), false)
  const server = (at: string, host: string, ports: Ports, user: string, password: string): Server => {
    const secure = reader.flag(of(`${at}SECURE`), true)
    const port = reader.number(of(`${at}PORT`), secure ? ports.secure : ports.starttls, 65_535)
    return { host, port, tls: tlsFor(secure, host, cleartext), user, password }
  }
  const user = reader.required(of('USER'))
  const password = reader.required(of('PASS'))
  const smtpHost = reader.host(of('SMTP_HOST'))
  const smtpUser = reader.text(of('SMTP_USER')) ?? user
  const smtpPassword = reader.text(of('SMTP_PASS')) ?? password
  return {
    id: name.toLowerCase(),
    imap: server('', reader.host(of('HOST')) ?? reader.required(of('HOST')), IMAP_PORTS, user, password),
    email: reader.text(of('EMAIL')) ?? (user.includes('@') ? user : undefined),
    mirror: reader.choice(of('MIRROR'), ['off', 'headers', 'full'] as const),
    smtp: smtpHost === undefined ? undefined : server('SMTP_', smtpHost, SMTP_PORTS, smtpUser, smtpPassword),
  }
}

/** Without TLS from the start: STARTTLS, mandatory and verified, except on this machine or where cleartext is allowed. */
function tlsFor(secure: boolean, host: string, cleartext: boolean): Tls {
  if (secure) return 'implicit'
  return cleartext || isLoopback(host) ? 'none' : 'starttls'
}

class VariableReader {
  readonly #env: Variables
  readonly #problems: string[] = []

  constructor(env: Variables) {
    this.#env = env
  }

  problem(text: string): void {
    this.#problems.push(text)
  }

  throwProblems(): void {
    if (this.#problems.length === 0) return
    throw new Failure('invalid_input', `the environment cannot be used: ${this.#problems.join('; ')}`)
  }

  /** Empty is unset. */
  text(variable: string): string | undefined {
    const value = this.#env[variable]?.trim() || undefined
    if (value !== undefined && /\p{Cc}/u.test(value)) this.problem(`${variable} must not contain control characters`)
    return value
  }

  host(variable: string): string | undefined {
    const value = this.text(variable)
    if (value !== undefined && !isHost(value)) {
      this.problem(`${variable} must be a host name or address alone, without scheme, port or path`)
    }
    return value
  }

  required(variable: string): string {
    const value = this.text(variable)
    if (value === undefined) this.problem(`${variable} is required`)
    return value ?? ''
  }

  token(variable: string): string | undefined {
    const value = this.text(variable)
    if (value !== undefined && !(value.length >= SHORTEST_TOKEN && /^[\x21-\x7e]+$/.test(value))) {
      this.problem(`${variable} must have at least ${SHORTEST_TOKEN} characters, all printable ASCII without spaces`)
    }
    return value
  }

  flag(variable: string, fallback: boolean): boolean {
    const value = this.text(variable)?.toLowerCase()
    if (value === undefined) return fallback
    if (value !== 'true' && value !== 'false') this.problem(`${variable} must be true or false`)
    return value === 'true'
  }

  /** The first of them where nothing is said. */
  choice<T extends string>(variable: string, choices: readonly [T, ...T[]]): T {
    const value = this.text(variable)?.toLowerCase()
    const chosen = choices.find((choice) => choice === value)
    if (value !== undefined && chosen === undefined) this.problem(`${variable} must be ${choices.join(', ')}`)
    return chosen ?? choices[0]
  }

  number(variable: string, fallback: number, max: number): number {
    const value = this.text(variable)
    if (value === undefined) return fallback
    const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
    if (number < 1 || number > max) this.problem(`${variable} must be a whole number between 1 and ${max}`)
    return number
  }

  file(variable: string): string | undefined {
    const path = this.text(variable)
    if (path === undefined) return undefined
    try {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('-----BEGIN CERTIFICATE-----'))
        this.problem(`${variable} names a file that holds no PEM certificate`)
      return text
    } catch {
      this.problem(`${variable} names a file that cannot be read`)
      return undefined
    }
  }
}
