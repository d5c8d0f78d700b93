/** The line to each server: its name, its port, its certificate. */
import { count } from '../../../core/text/count.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { Line } from '../line.ts'
import type { Server } from '../world.ts'

const DAY_MS = 86_400_000
/** Automatic renewal comes earlier than this. */
const SOON_DAYS = 10

export const lineCheck: Check = {
  name: 'tls',
  looksAt: 'the connection to each server, and its certificate',
  patienceMs: 20_000,
  run: (world, signal) =>
    Promise.all(world.servers.map(async (server) => findingOf(server, await server.line(signal), world.now()))),
}

export function subjectOf({ account, protocol }: Server): string {
  return protocol === 'smtp' ? `${account} (sending)` : account
}

function findingOf(server: Server, line: Line, now: number): Finding {
  const { host, port, settings } = server
  const where = `${host}:${port}`
  const subject = subjectOf(server)
  const at = `${settings.host} and ${settings.port}`
  switch (line.kind) {
    case 'open':
      return opened(server, line.certificateUntil, now)
    case 'no_such_host':
      return broken(`there is no host ${host}`, `set ${settings.host} to the name that your provider tells`, subject)
    case 'refused':
      return broken(`nobody listens at ${where}`, `set ${at} to what your provider tells`, subject)
    case 'unreachable':
      return broken(`${where} cannot be reached`, `look at network and firewall, or set ${at}`, subject)
    case 'silent':
      return broken(`${where} takes the connection and says nothing`, otherTls(server), subject)
    case 'not_tls':
      return broken(`${where} does not speak ${expected(server)}`, otherTls(server), subject)
    case 'no_starttls':
      return broken(`${where} does not offer STARTTLS, and nothing is sent without`, otherTls(server), subject)
    case 'not_trusted':
      return broken(
        `the certificate of ${where} is signed by nobody that this machine trusts`,
        `where that is your own authority, set ${settings.authority} to its PEM file; otherwise somebody may be in the line`,
        subject,
      )
    case 'other_name':
      return broken(
        `the certificate of ${where} is for another host`,
        `set ${settings.host} to a name that the certificate holds`,
        subject,
      )
    case 'expired':
      return broken(
        `the certificate of ${where} has expired on ${dayOf(line.at)}`,
        'whoever runs the server has to renew it; if that day is still to come, set the clock of this machine',
        subject,
      )
    default:
      return broken(
        `the certificate of ${where} begins on ${dayOf(line.at)}, which is still to come`,
        'set the clock of this machine: timedatectl set-ntp true',
        subject,
      )
  }
}

function opened(server: Server, until: number | undefined, now: number): Finding {
  const subject = subjectOf(server)
  const where = `${server.host}:${server.port}`
  if (until === undefined) return ok(`${where} answers, without TLS`, subject)
  const days = Math.floor((until - now) / DAY_MS)
  if (days >= SOON_DAYS) return ok(`${where} answers, its certificate is good until ${dayOf(until)}`, subject)
  const cure = 'whoever runs the server has to renew it'
  return warning(`the certificate of ${where} expires in ${count(Math.max(0, days), 'day')}`, cure, subject)
}

function expected({ tls, protocol }: Server): string {
  return tls === 'implicit' ? 'TLS' : protocol.toUpperCase()
}

/** Which port speaks what. */
function otherTls({ protocol, settings, tls }: Server): string {
  if (protocol === 'http') return `set ${settings.host}`
  const [secure, starttls] = protocol === 'imap' ? [993, 143] : [465, 587]
  const { port, tls: setting } = settings
  if (tls === 'implicit') return `set ${port} to ${secure}, or have it use STARTTLS: ${setting}`
  return `use TLS from the start: set ${port} to ${secure} and leave out ${setting} (${starttls} is for STARTTLS)`
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
