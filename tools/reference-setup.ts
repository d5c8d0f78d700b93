/** What setting up knows of providers and clients, for people to read. */
import { CLIENTS, type McpClient, type Places } from '../src/core/setup/clients.ts'
import type { MailProvider } from '../src/core/setup/provider.ts'
import { HOSTERS } from '../src/core/setup/provider-hosters.ts'
import { MAILBOXES } from '../src/core/setup/provider-mailboxes.ts'
import { REGIONAL } from '../src/core/setup/provider-regional.ts'
import { CLOSED, PROVIDERS } from '../src/core/setup/providers.ts'
import { serverText, type Way } from '../src/core/setup/servers.ts'
import { anchorOf } from './reference-anchors.ts'

const MOST_DOMAINS = 8

export function providersText(): string {
  const found = PROVIDERS.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  return [
    `${found.map(({ name }) => `[${name}](#${anchorOf(name)})`).join(' · ')}\n`,
    '## All over the world\n',
    ...MAILBOXES.map(providerSection),
    '## Of one country or language\n',
    ...REGIONAL.map(providerSection),
    '## Hosts of domains of your own\n',
    'Known by who takes the mail of your domain in, which `postern setup` asks DNS for.\n',
    ...HOSTERS.map(providerSection),
    '## Not possible\n',
    ...CLOSED.map(({ name, why }) => `- **${name}**: ${why}.`),
    '',
  ].join('\n')
}

const WAYS: Readonly<Record<Way, string>> = {
  password: 'your password',
  app_password: 'an app password',
  oauth: 'OAuth in the browser',
}

function providerSection({ name, domains, imap, smtp, ways, login, help, bridge }: MailProvider): string {
  const own = bridge
    ? 'its bridge on this machine, and the password that it shows'
    : ways.map((way) => WAYS[way]).join(', or ')
  const shown = domains.slice(0, MOST_DOMAINS).map((domain) => `\`@${domain}\``)
  const whose = shown.length === 0 ? '' : `${shown.join(', ')}${more(domains)}. `
  const before = login === 'local_part' ? '; the login is what stands before the `@`' : ''
  return [
    `### ${name}\n`,
    `${whose}Needs **${own}**.\n`,
    ...(help.length === 0 ? [] : [`${help.join('\n')}\n`]),
    `IMAP ${code(serverText(imap))}, SMTP ${code(serverText(smtp))}${before}.\n`,
  ].join('\n')
}

function more(domains: readonly string[]): string {
  return domains.length > MOST_DOMAINS ? ' and others' : ''
}

function code(server: string): string {
  return server.replace(/^(\S+) /, '`$1` ')
}

export function clientsText(): string {
  const rows = CLIENTS.map(
    (client) =>
      `| \`${client.id}\` | ${client.name} | \`${fileOf(client)}\` | ${client.key === undefined ? 'shown, to paste by hand' : `\`${client.key}\``} | ${client.after} |`,
  )
  return [
    '| name | client | its file on Linux | where the entry goes | then |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

const HERE: Places = { platform: 'linux', home: '~' }

function fileOf(client: McpClient): string {
  return client.path(HERE).join('/')
}
