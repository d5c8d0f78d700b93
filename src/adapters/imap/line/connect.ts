/**
 * Opens a connection: TCP, TLS, greeting, login, capabilities. imapflow does all that; the socket is then ours.
 *
 * INVARIANT: what the account logs in with is asked for anew each time, and told when it was refused; certificates and host names are always verified; with `starttls` nothing secret leaves before TLS; the
 * library never logs through anything but our own log, and never what it sends or receives.
 */
import type { Socket } from 'node:net'
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import type { Failure } from '../../../core/failure.ts'
import type { Credentials } from '../../../ports/access.ts'
import type { Log } from '../../../ports/log.ts'
import { abortFailure } from '../failures.ts'
import { keyword, type Piece, text } from '../wire/command.ts'
import type { LiteralManner } from '../wire/encode.ts'
import { connectFailure, unaskedLogin } from './connect-failures.ts'
import { Dialogue } from './dialogue.ts'
import { DEFAULTS, type ImapOptions } from './options.ts'
import { readOn, withoutSmallTalk } from './small-talk.ts'
import { trust } from './trust.ts'

export interface Connection {
  readonly dialogue: Dialogue
  /** Upper case, as announced after login. */
  readonly capabilities: ReadonlySet<string>
}

/** Greeting, capabilities and login are short; by itself the library would hold a line of a gigabyte. */
const LOGIN_LIMITS = { maxLineLength: 65_536, maxLiteralSize: 65_536, maxResponseSize: 131_072 }

/** A token may have been taken back since it was given out: one that is refused is replaced, once. */
export async function connect(options: ImapOptions, log: Log, signal: AbortSignal): Promise<Connection> {
  const first = await attempt(options, log, signal)
  if (first.kind === 'open') return first.connection
  const second = first.renewable ? await attempt(options, log, signal) : first
  if (second.kind === 'open') return second.connection
  throw second.failure
}

type Attempt =
  | { readonly kind: 'open'; readonly connection: Connection }
  /** `renewable` where asking again may give something else to log in with. */
  | { readonly kind: 'refused'; readonly failure: Failure; readonly renewable: boolean }

async function attempt(options: ImapOptions, log: Log, signal: AbortSignal): Promise<Attempt> {
  if (signal.aborted) throw abortFailure(signal)
  const credentials = await options.access.credentials(signal)
  try {
    return { kind: 'open', connection: await logIn(options, credentials, log, signal) }
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error
    await options.access.refused(credentials)
    return { kind: 'refused', failure: error.failure, renewable: credentials.kind === 'token' }
  }
}

/** The server did not accept the credentials. Never leaves this file. */
class LoginRefused extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message, { cause: failure })
    this.failure = failure
  }
}

async function logIn(
  options: ImapOptions,
  credentials: Credentials,
  log: Log,
  signal: AbortSignal,
): Promise<Connection> {
  // Loaded late: a server that is never asked for mail starts without it.
  const library = await import('imapflow')
  const client = new library.ImapFlow(clientOptions(options, credentials, log))
  withoutSmallTalk(client, credentials)
  client.on('error', (error) => log.debug({ account: options.account, code: codeOf(error) }, 'imap connection error'))
  if (signal.aborted) throw abortFailure(signal)
  const onAbort = (): void => client.close()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await client.connect()
    await readOn(client)
    // The library tells nobody that a line was cut when it has nothing more to say.
    if (client.isClosed) throw new Error('the connection was closed after the login')
  } catch (error) {
    client.close()
    if (signal.aborted) throw abortFailure(signal)
    const failure = connectFailure(error, options, credentials)
    throw failure.code === 'auth_failed' ? new LoginRefused(failure) : failure
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  if (signal.aborted) {
    client.close()
    throw abortFailure(signal)
  }
  // A PREAUTH greeting, the only one that leaves no text: whoever stands in the line could say so, and nobody was asked.
  if (client.greeting === undefined) {
    client.close()
    throw unaskedLogin(options)
  }
  return takeOver(client, options)
}

function takeOver(client: ImapFlow, options: ImapOptions): Connection {
  const capabilities = new Set([...client.capabilities.keys()].map((name) => name.toUpperCase()))
  const { socket } = client.unbind()
  const dialogue = new Dialogue(socket as Socket, {
    literals: literalManner(capabilities),
    silenceMs: options.socketTimeoutMs ?? DEFAULTS.socketTimeoutMs,
    ...(capabilities.has('ID') && { introduction: introduction(options) }),
  })
  return { dialogue, capabilities }
}

function introduction({ clientVersion = '0' }: ImapOptions): readonly Piece[] {
  return [keyword('ID'), ['name', 'postern', 'version', clientVersion].map(text)]
}

function clientOptions(options: ImapOptions, credentials: Credentials, log: Log): ImapFlowOptions {
  const { host, port, user } = options
  return {
    host,
    port,
    secure: options.tls === 'implicit',
    // `false` keeps cleartext where it was asked for; `true` refuses to go on without TLS.
    ...(options.tls === 'implicit' ? {} : { doSTARTTLS: options.tls === 'starttls' }),
    tls: trust(options),
    auth:
      credentials.kind === 'password'
        ? { user, pass: credentials.password }
        : { user, accessToken: credentials.accessToken },
    clientInfo: { name: 'postern', version: options.clientVersion ?? '0', vendor: '', 'support-url': '' },
    disableCompression: true,
    disableAutoEnable: true,
    disableAutoIdle: true,
    connectionTimeout: options.connectTimeoutMs ?? DEFAULTS.connectTimeoutMs,
    greetingTimeout: options.greetingTimeoutMs ?? DEFAULTS.greetingTimeoutMs,
    socketTimeout: options.socketTimeoutMs ?? DEFAULTS.socketTimeoutMs,
    ...LOGIN_LIMITS,
    logger: libraryLog(options.account, log),
  }
}

/** Of what the library logs only its own words and codes pass: the rest may hold what the server or we have said. */
function libraryLog(account: string, log: Log): NonNullable<ImapFlowOptions['logger']> {
  const pass = (entry: unknown): void => {
    const { msg, err }: { msg?: unknown; err?: unknown } = typeof entry === 'object' && entry !== null ? entry : {}
    if (typeof msg === 'string' || err !== undefined) log.debug({ account, code: codeOf(err) }, 'imap library event')
  }
  const drop = (): void => undefined
  return { trace: drop, debug: drop, info: drop, warn: pass, error: pass, fatal: pass }
}

function codeOf(error: unknown): string | undefined {
  const { code }: { code?: unknown } = typeof error === 'object' && error !== null ? error : {}
  return typeof code === 'string' ? code : undefined
}

function literalManner(capabilities: ReadonlySet<string>): LiteralManner {
  if (capabilities.has('LITERAL+')) return 'plus'
  return capabilities.has('LITERAL-') ? 'minus' : 'synchronising'
}
