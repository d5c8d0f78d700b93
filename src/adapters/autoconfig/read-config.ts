/**
 * Reads what a domain publishes for mail programs, the XML that Thunderbird looks for.
 *
 * INVARIANT: no entity is resolved and nothing is loaded. A server without TLS, or one that takes no password, is none.
 */
import { Parser } from 'htmlparser2'
import type { LoginName, Server } from '../../core/setup/servers.ts'
import type { PublishedServers } from '../../ports/mail-lookup.ts'

interface Listed {
  readonly tag: string
  readonly type: string
  readonly fields: Map<string, string[]>
}

const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i
const MOST_SERVERS = 20
const LONGEST_VALUE = 300

export function readConfig(xml: string, domain: string): PublishedServers | undefined {
  const listed = serversIn(xml)
  const imap = firstOf(listed, 'incomingServer', 'imap', domain)
  if (imap === undefined) return undefined
  const smtp = firstOf(listed, 'outgoingServer', 'smtp', domain)
  return { servers: { imap: imap.server, ...(smtp !== undefined && { smtp: smtp.server }) }, login: imap.login }
}

function serversIn(xml: string): readonly Listed[] {
  const found: Listed[] = []
  const open: string[] = []
  let current: Listed | undefined
  let text = ''
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        open.push(name)
        text = ''
        if (name !== 'incomingServer' && name !== 'outgoingServer') return
        current = { tag: name, type: attributes['type']?.toLowerCase() ?? '', fields: new Map() }
        if (open[0] === 'clientConfig' && found.length < MOST_SERVERS) found.push(current)
      },
      ontext(more) {
        if (text.length < LONGEST_VALUE) text += more
      },
      onclosetag(name) {
        open.pop()
        if (current === undefined) return
        if (name === current.tag) current = undefined
        else if (open.at(-1) === current.tag) {
          current.fields.set(name, [...(current.fields.get(name) ?? []), text.trim()])
        }
        text = ''
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
  return found
}

interface Usable {
  readonly server: Server
  readonly login: LoginName
}

/** They are listed in the order of the provider's own preference. */
function firstOf(listed: readonly Listed[], tag: string, type: string, domain: string): Usable | undefined {
  for (const { fields } of listed.filter((one) => one.tag === tag && one.type === type)) {
    const usable = usableFrom(fields, domain)
    if (usable !== undefined) return usable
  }
  return undefined
}

function usableFrom(fields: Listed['fields'], domain: string): Usable | undefined {
  const first = (name: string): string => fields.get(name)?.[0] ?? ''
  const host = first('hostname').replaceAll('%EMAILDOMAIN%', domain).toLowerCase()
  const port = /^\d{1,5}$/.test(first('port')) ? Number(first('port')) : 0
  const tls = { SSL: 'implicit', STARTTLS: 'starttls' }[first('socketType').toUpperCase()] as Server['tls'] | undefined
  const login = { '%EMAILADDRESS%': 'address', '%EMAILLOCALPART%': 'local_part' }[first('username').toUpperCase()]
  const methods = fields.get('authentication') ?? []
  const takesPassword = methods.some((method) => /^(password-(cleartext|encrypted)|plain|secure)$/i.test(method))
  if (!HOST.test(host) || port < 1 || port > 65_535 || tls === undefined || !takesPassword) return undefined
  return { server: { host, port, tls }, login: (login as LoginName | undefined) ?? 'address' }
}
