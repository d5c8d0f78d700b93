/**
 * Opens a session: TCP, TLS, greeting, EHLO, STARTTLS, login.
 *
 * INVARIANT: what the account logs in with is asked for anew each time, and told when it was refused; with TLS of either kind
 * nothing secret leaves before the line is safe; the library logs nothing.
 */
import type { SMTPConnectionCustomAuthContext, SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import type { Failure } from '../../core/failure.ts'
import type { Credentials } from '../../ports/access.ts'
import { connectFailure, isRefusedLogin, loginFailure, noLogin, unsafeLine } from './connect-failures.ts'
import { bearer, hiding } from './facts.ts'
import { abortFailure } from './failures.ts'
import { DEFAULTS, type SmtpOptions } from './options.ts'
import { Session } from './session.ts'
import { openSocket } from './socket.ts'
import { trust } from './trust.ts'

/** By itself the library would hold an answer of a megabyte. */
const MOST_ANSWER = 65_536
/** Our name for a login with a token: under its own the library would prefer a password that it does not have. */
const TOKEN = 'POSTERN-TOKEN'
/** What people's mail programs say: the server sees our address anyhow, and the machine's name is not its business. */
const OWN_NAME = '[127.0.0.1]'

/** A token may have been taken back since it was given out: one that is refused is replaced, once. */
export async function connect(options: SmtpOptions, signal: AbortSignal): Promise<Session> {
  const first = await attempt(options, signal)
  if (first.kind === 'open') return first.session
  const second = first.renewable ? await attempt(options, signal) : first
  if (second.kind === 'open') return second.session
  throw second.failure
}

type Attempt =
  | { readonly kind: 'open'; readonly session: Session }
  /** `renewable` where asking again may give something else to log in with. */
  | { readonly kind: 'refused'; readonly failure: Failure; readonly renewable: boolean }

async function attempt(options: SmtpOptions, signal: AbortSignal): Promise<Attempt> {
  if (signal.aborted) throw abortFailure(signal)
  const credentials = await options.access.credentials(signal)
  const session = await open(options, credentials, signal)
  try {
    await logIn(session, options, credentials, signal)
    return { kind: 'open', session }
  } catch (error) {
    const failure = loginFailure(error, options, credentials, session.hide)
    session.destroy(failure)
    if (!isRefusedLogin(error)) throw failure
    await options.access.refused(credentials, 'sending')
    return { kind: 'refused', failure, renewable: credentials.kind === 'token' }
  }
}

async function open(options: SmtpOptions, credentials: Credentials, signal: AbortSignal): Promise<Session> {
  const hide = hiding(options.user, credentials)
  try {
    // Loaded late: a server that never sends starts without it.
    const { default: Connection } = await import('nodemailer/lib/smtp-connection')
    const socket = await openSocket(options, signal)
    const connection = new Connection({ ...libraryOptions(options), connection: socket })
    const session = new Session(connection, socket)
    session.hide = hide
    await session.run(signal, (done) => connection.connect(done))
    return session
  } catch (error) {
    throw connectFailure(error, options, hide)
  }
}

async function logIn(
  session: Session,
  options: SmtpOptions,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const { connection } = session
  if (options.tls !== 'none' && !connection.secure) throw unsafeLine(options)
  if (!connection.allowsAuth) throw noLogin(options)
  const { user } = options
  if (credentials.kind === 'password') {
    const auth = { user, pass: credentials.password }
    await session.run(signal, (done) => connection.login(auth, done))
    return
  }
  connection.customAuth.set(TOKEN, (context) => sayToken(context, user, credentials.accessToken))
  await session.run(signal, (done) => connection.login({ method: TOKEN, user }, done))
}

/** XOAUTH2. A server that refuses says why first, and its no comes after an empty answer to that. */
async function sayToken(context: SMTPConnectionCustomAuthContext, user: string, token: string): Promise<void> {
  const encoded = Buffer.from(bearer(user, token)).toString('base64')
  const first = await context.sendCommand(`AUTH XOAUTH2 ${encoded}`)
  const { status } = first.status === 334 ? await context.sendCommand('') : first
  if (status !== 235) throw new Error('the server refused the token')
}

function libraryOptions(options: SmtpOptions): SMTPConnectionOptions {
  return {
    host: options.host,
    port: options.port,
    name: OWN_NAME,
    secure: options.tls === 'implicit',
    secured: options.tls === 'implicit',
    requireTLS: options.tls === 'starttls',
    ignoreTLS: options.tls === 'none',
    tls: trust(options),
    connectionTimeout: options.connectTimeoutMs ?? DEFAULTS.connectTimeoutMs,
    greetingTimeout: options.greetingTimeoutMs ?? DEFAULTS.greetingTimeoutMs,
    socketTimeout: options.socketTimeoutMs ?? DEFAULTS.socketTimeoutMs,
    maxResponseSize: MOST_ANSWER,
    logger: false,
  }
}
