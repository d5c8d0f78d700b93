/** Where the mail of an address is: found, or asked. */
import { Failure } from '../../../core/failure.ts'
import { type AccountKind, type LoginName, type Server, serverText, type Way } from '../../../core/setup/servers.ts'
import type { FoundServers } from '../../../engine/setup/find-servers.ts'
import { askServer } from './ask-server.ts'
import type { SetupChoice } from './choice.ts'
import type { SetUpAccount, SetupDesk } from './desk.ts'
import type { Prompter } from './prompter.ts'

export interface Whereabouts {
  readonly kind: AccountKind
  readonly imap: Server
  /** Not known yet where absent. */
  readonly smtp?: Server
  readonly login: LoginName
  readonly ways: readonly Way[]
  readonly help: readonly string[]
}

interface Parts {
  readonly choice: SetupChoice
  readonly prompter: Prompter
  readonly desk: SetupDesk
  readonly signal: AbortSignal
}

export async function askServers(address: string, there: SetUpAccount | undefined, parts: Parts): Promise<Whereabouts> {
  const { choice, prompter, desk, signal } = parts
  if (choice.imapHost !== undefined) return byHand(address, parts)
  if (there !== undefined) return asItIs(there)
  const found = await prompter.busy('Looking for your mail server', () => desk.find(address, signal))
  if (found.kind === 'closed') throw new Failure('unsupported', found.why)
  if (found.kind === 'provider') {
    const { name, kind, imap, smtp, login, ways, help } = found.provider
    prompter.say([`Your mail is at ${name}.`, ...help].join('\n'))
    return { kind, imap, smtp, login, ways, help }
  }
  if (found.kind === 'servers' && (await isRight(found, parts))) {
    return { kind: 'imap-standard', ...found.servers, login: found.login, ways: ['password'], help: [] }
  }
  if (found.kind === 'nothing') prompter.say('Nothing says where your mail is. Your provider calls it "IMAP settings".')
  return byHand(address, parts)
}

/** A name that only DNS gave, of a host elsewhere, gets no password before a person has seen it. */
async function isRight(found: Extract<FoundServers, { kind: 'servers' }>, { prompter }: Parts): Promise<boolean> {
  const { imap, smtp } = found.servers
  if (found.unproven && !prompter.interactive) {
    throw new Failure('invalid_input', `DNS says that your mail is at ${imap.host}; add --imap-host if that is right`)
  }
  prompter.say([`Mail: ${serverText(imap)}`, ...(smtp ? [`Sending: ${serverText(smtp)}`] : [])].join('\n'))
  const message = found.unproven
    ? 'Only DNS says so, and it is another domain. Is that your provider?'
    : 'Is that right?'
  return prompter.agree({ flag: '--imap-host', message, initial: !found.unproven })
}

function asItIs({ kind, imap, smtp, auth }: SetUpAccount): Whereabouts {
  if (kind === 'other') throw new Failure('unsupported', 'this kind of account is changed in accounts.yaml itself')
  const ways: readonly Way[] = [auth === 'password' ? 'password' : 'oauth']
  return { kind, imap, ...(smtp !== undefined && { smtp }), login: 'address', ways, help: [] }
}

async function byHand(address: string, parts: Parts): Promise<Whereabouts> {
  const { choice } = parts
  const imap = await askServer(
    'imap',
    { host: choice.imapHost, port: choice.imapPort, tls: choice.imapTls },
    parts.prompter,
    guessFrom('imap', address),
  )
  const ways: readonly Way[] = choice.auth === 'oauth' ? ['oauth'] : ['password']
  const smtp = choice.smtpHost === undefined ? undefined : await askSmtp(address, parts)
  return { kind: 'imap-standard', imap, ...(smtp !== undefined && { smtp }), login: 'address', ways, help: [] }
}

export function askSmtp(address: string, parts: Parts): Promise<Server> {
  const { smtpHost: host, smtpPort: port, smtpTls: tls } = parts.choice
  return askServer('smtp', { host, port, tls }, parts.prompter, guessFrom('smtp', address))
}

function guessFrom(protocol: 'imap' | 'smtp', address: string): string {
  return `${protocol}.${address.slice(address.lastIndexOf('@') + 1)}`
}
