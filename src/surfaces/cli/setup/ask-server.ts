/** One server of an account: its host, its port and how the line to it is made safe. */
import { Failure } from '../../../core/failure.ts'
import {
  isLoopback,
  portIn,
  type Server,
  splitHost,
  type Tls,
  usualPort,
  usualTls,
} from '../../../core/setup/servers.ts'
import type { Prompter } from './prompter.ts'

export type Protocol = 'imap' | 'smtp'

const HOST = /^[\p{L}\p{N}._-]+$|^\[?[0-9a-fA-F:.]+\]?$/u

export interface GivenServer {
  readonly host: string | undefined
  readonly port: number | undefined
  readonly tls: Tls | undefined
}

const NOT_GIVEN: GivenServer = { host: undefined, port: undefined, tls: undefined }

/** What was typed before stands there already. */
export function askServerAgain(protocol: Protocol, before: Server, prompter: Prompter): Promise<Server> {
  return askServer(protocol, NOT_GIVEN, prompter, before.host, before)
}

/** What is said of a server counts, and the rest stays; another host is asked for whole. */
export async function serverWith(
  protocol: Protocol,
  given: GivenServer,
  before: Server,
  prompter: Prompter,
): Promise<Server> {
  const typed = splitHost(given.host ?? before.host)
  if (typed.host !== before.host) return askServer(protocol, given, prompter, before.host)
  const port = given.port ?? typed.port
  const tls = given.tls ?? (port === undefined ? before.tls : tlsAt(protocol, port, before))
  return safe({ host: before.host, port: port ?? portGuess(protocol, tls, before), tls })
}

/** A usual port says how its line is made safe. */
function tlsAt(protocol: Protocol, port: number, before: Server): Tls {
  if (port === before.port) return before.tls
  if (port === usualPort(protocol, 'implicit')) return 'implicit'
  const isPlain = port === usualPort(protocol, 'starttls') && before.tls === 'implicit'
  return isPlain ? 'starttls' : before.tls
}

function safe(server: Server): Server {
  if (server.tls !== 'none' || isLoopback(server.host)) return server
  const why = `without TLS your password could be read on the way to ${server.host}`
  throw new Failure('invalid_input', `${why}; say starttls`)
}

export async function askServer(
  protocol: Protocol,
  given: GivenServer,
  prompter: Prompter,
  guess: string,
  before?: Server,
): Promise<Server> {
  const typed = splitHost(given.host ?? (await askHost(protocol, prompter, guess)))
  const { host } = typed
  if (problemOfHost(host) !== undefined)
    throw new Failure('invalid_input', `--${protocol}-host: ${problemOfHost(host)}`)
  const port = given.port ?? typed.port
  // Of a port that was only typed a person knows best how its line is made safe.
  const isAssumed = port !== undefined && (given.port !== undefined || !prompter.interactive)
  const tls =
    given.tls ??
    (isAssumed
      ? usualTls(protocol, host, port)
      : await askTls(protocol, prompter, host, tlsGuess(protocol, host, port, before)))
  safe({ host, port: port ?? 0, tls })
  return { host, port: port ?? (await askPort(protocol, prompter, portGuess(protocol, tls, before))), tls }
}

function tlsGuess(protocol: Protocol, host: string, port: number | undefined, before: Server | undefined): Tls {
  if (port === usualPort(protocol, 'starttls')) return 'starttls'
  if (before === undefined || (before.tls === 'none' && !isLoopback(host))) return 'implicit'
  return before.tls
}

/** A port of their own stays; a usual one goes with how the line is made safe. */
function portGuess(protocol: Protocol, tls: Tls, before: Server | undefined): number {
  const isOwn = before !== undefined && before.port !== usualPort(protocol, before.tls)
  return isOwn ? before.port : usualPort(protocol, tls)
}

function askHost(protocol: Protocol, prompter: Prompter, guess: string): Promise<string> {
  return prompter.text({
    flag: `--${protocol}-host`,
    message: protocol === 'imap' ? 'Which host is your mail at (IMAP)?' : 'Which host do letters leave by (SMTP)?',
    ...(prompter.interactive && { initial: guess }),
    problem: (text) => problemOfHost(splitHost(text).host),
  })
}

async function askPort(protocol: Protocol, prompter: Prompter, usual: number): Promise<number> {
  const problem = (text: string): string | undefined =>
    portIn(text) === undefined ? 'a port is a number from 1 to 65535' : undefined
  const text = await prompter.text({
    flag: `--${protocol}-port`,
    message: 'Which port is it?',
    initial: String(usual),
    problem,
  })
  return portIn(text) ?? usual
}

function askTls(protocol: Protocol, prompter: Prompter, host: string, initial: Tls): Promise<Tls> {
  return prompter.choose<Tls>({
    flag: `--${protocol}-tls`,
    message: 'How is the line made safe?',
    options: [
      {
        value: 'implicit',
        label: `TLS (usually port ${usualPort(protocol, 'implicit')})`,
        hint: 'what nearly all have',
      },
      { value: 'starttls', label: `STARTTLS (usually port ${usualPort(protocol, 'starttls')})` },
      ...(isLoopback(host)
        ? [{ value: 'none', label: 'Not at all', hint: 'it never leaves this machine' } as const]
        : []),
    ],
    initial,
  })
}

function problemOfHost(host: string): string | undefined {
  return HOST.test(host) ? undefined : 'a host is a name or an address, without scheme or path'
}
