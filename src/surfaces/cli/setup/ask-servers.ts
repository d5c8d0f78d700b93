/** Where the mail of an address is: found, or asked. */
import { Failure } from '../../../core/failure.ts'
import { type AccountKind, type LoginName, type Server, serverText, type Way } from '../../../core/setup/servers.ts'
import type { FoundServers } from '../../../engine/setup/find-servers.ts'
import { askServer, askServerAgain, type GivenServer, type Protocol, serverWith } from './ask-server.ts'
import type { Asking } from './asking.ts'
import type { SetupChoice } from './choice.ts'
import type { SetUpAccount } from './desk.ts'
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

export async function askServers(
  address: string,
  there: SetUpAccount | undefined,
  asking: Asking,
): Promise<Whereabouts> {
  const { choice, prompter } = asking
  if (there?.kind === 'imap-standard') {
    const isSaid = says('imap', choice) || says('smtp', choice)
    return isSaid || !prompter.interactive ? withSaid(asItIs(there), asking) : askChanges(asItIs(there), prompter)
  }
  if (choice.imapHost !== undefined) return byHand(address, asking)
  return withSaid(there === undefined ? await find(address, asking) : asItIs(there), asking)
}

async function find(address: string, asking: Asking): Promise<Whereabouts> {
  const { prompter, desk, signal } = asking
  const found = await prompter.busy('Looking for your mail server', () => desk.find(address, signal))
  if (found.kind === 'closed') throw new Failure('unsupported', found.why)
  if (found.kind === 'provider') {
    const { name, kind, imap, smtp, login, ways, help } = found.provider
    prompter.say([`Your mail is at ${name}.`, ...help].join('\n'))
    return { kind, imap, smtp, login, ways, help }
  }
  if (found.kind === 'servers' && (await isRight(found, asking))) {
    return { kind: 'imap-standard', ...found.servers, login: found.login, ways: ['password'], help: [] }
  }
  if (found.kind === 'nothing') prompter.say('Nothing says where your mail is. Your provider calls it "IMAP settings".')
  return byHand(address, asking)
}

/** A name that only DNS gave, of a host elsewhere, gets no password before a person has seen it. */
async function isRight(found: Extract<FoundServers, { kind: 'servers' }>, { prompter }: Asking): Promise<boolean> {
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

function given(protocol: Protocol, choice: SetupChoice): GivenServer {
  const { imapHost, imapPort, imapTls, smtpHost, smtpPort, smtpTls } = choice
  return protocol === 'imap'
    ? { host: imapHost, port: imapPort, tls: imapTls }
    : { host: smtpHost, port: smtpPort, tls: smtpTls }
}

function says(protocol: Protocol, choice: SetupChoice): boolean {
  return Object.values(given(protocol, choice)).some((value) => value !== undefined)
}

/** Whether the command line says where letters leave, or as whom. */
export function saysWayOut(choice: SetupChoice): boolean {
  return says('smtp', choice) || choice.smtpUser !== undefined || choice.smtpPasswordFile !== undefined
}

/** What the command line says of servers that are known counts before what is known. */
async function withSaid(where: Whereabouts, { choice, prompter }: Asking): Promise<Whereabouts> {
  const [said] = (['imap', 'smtp'] as const).filter((protocol) => says(protocol, choice))
  if (said === undefined) return where
  if (where.kind !== 'imap-standard') {
    const why = `the servers of ${where.kind} accounts are known, and are not changed by --${said}-*`
    throw new Failure('invalid_input', `${why}; leave it out, or add --imap-host for an account like any other`)
  }
  const imap = await serverWith('imap', given('imap', choice), where.imap, prompter)
  // One that is not known yet is asked for once letters are to leave.
  if (where.smtp === undefined) return { ...where, imap }
  return { ...where, imap, smtp: await serverWith('smtp', given('smtp', choice), where.smtp, prompter) }
}

/** Of an account that is changed; most people come for something else. */
async function askChanges(where: Whereabouts, prompter: Prompter): Promise<Whereabouts> {
  const { imap, smtp } = where
  const changed = await prompter.several<Protocol>({
    flag: '--imap-host',
    message: 'Which of its servers shall change? None needs to be chosen.',
    options: [
      { value: 'imap', label: 'Where the mail is', hint: serverText(imap) },
      ...(smtp === undefined ? [] : [{ value: 'smtp', label: 'Where letters leave', hint: serverText(smtp) } as const]),
    ],
    initial: [],
  })
  return {
    ...where,
    imap: changed.includes('imap') ? await askServerAgain('imap', imap, prompter) : imap,
    ...(smtp !== undefined && changed.includes('smtp') && { smtp: await askServerAgain('smtp', smtp, prompter) }),
  }
}

async function byHand(address: string, asking: Asking): Promise<Whereabouts> {
  const { choice } = asking
  const imap = await askServer('imap', given('imap', choice), asking.prompter, guessFrom('imap', address))
  const ways: readonly Way[] = choice.auth === 'oauth' ? ['oauth'] : ['password']
  const smtp = choice.smtpHost === undefined ? undefined : await askSmtp(address, asking)
  return { kind: 'imap-standard', imap, ...(smtp !== undefined && { smtp }), login: 'address', ways, help: [] }
}

export function askSmtp(address: string, asking: Asking): Promise<Server> {
  return askServer('smtp', given('smtp', asking.choice), asking.prompter, guessFrom('smtp', address))
}

function guessFrom(protocol: Protocol, address: string): string {
  return `${protocol}.${address.slice(address.lastIndexOf('@') + 1)}`
}
