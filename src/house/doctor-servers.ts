/** The servers of the configured accounts, to be looked at and logged in to. */
import { join } from 'node:path'
import { connect } from '../adapters/smtp/connect.ts'
import type { EnvironmentAccount } from '../config/environment.ts'
import type { Tree, TreeAccount } from '../config/tree/tree.ts'
import type { Account } from '../engine/accounts/accounts.ts'
import { fixedPassword } from '../engine/credentials/fixed-password.ts'
import type { Server, Settings } from '../engine/doctor/world.ts'
import type { DoctorParts } from './doctor.ts'
import type { Found } from './doctor-configuration.ts'
import { grantsOf } from './doctor-secrets.ts'
import { secretsOf } from './tree-secrets.ts'

type Tls = Server['tls']

interface Place {
  readonly host: string
  readonly port: number
  readonly tls: Tls
}

export function serversOf(found: Found, parts: DoctorParts): readonly Server[] {
  const { tree, environment, accounts } = found
  const accountOf = (id: string): Account | undefined => accounts.find((account) => account.id === id)
  if (tree !== undefined) return tree.accounts.flatMap((one) => ofTree(one, accountOf(one.id), tree, found, parts))
  return (environment?.accounts ?? []).flatMap((one) => ofEnvironment(one, accountOf(one.id), found, parts))
}

function ofEnvironment(
  written: EnvironmentAccount,
  account: Account | undefined,
  { environment }: Found,
  { env }: DoctorParts,
): readonly Server[] {
  const { id, imap, smtp } = written
  const ca = environment?.ca
  const name = variablePart(id, env)
  const common = { account: id, isOAuth: false, isReady: async () => true }
  const reading = {
    ...common,
    ...imapServer(imap, ca, account),
    settings: variables(`MAIL_IMAP_${name}_`),
  }
  if (smtp === undefined) return [reading]
  const logIn = (signal: AbortSignal): Promise<readonly string[]> =>
    smtpLogin({ account: id, ...smtp, access: fixedPassword(smtp.password), ...(ca !== undefined && { ca }) }, signal)
  const sending = { ...common, ...smtpServer(smtp, ca, logIn), settings: variables(`MAIL_IMAP_${name}_SMTP_`) }
  return [reading, sending]
}

/** As its user wrote it. */
function variablePart(id: string, env: DoctorParts['env']): string {
  const parts = Object.keys(env).map((name) => /^MAIL_IMAP_(.+)_HOST$/.exec(name)?.[1])
  return parts.find((part) => part?.toLowerCase() === id) ?? id.toUpperCase()
}

function variables(prefix: string): Settings {
  return {
    host: `${prefix}HOST`,
    port: `${prefix}PORT`,
    tls: `${prefix}SECURE=false`,
    password: `${prefix}PASS`,
    authority: 'MAIL_IMAP_CA_CERT_PATH',
  }
}

function ofTree(
  written: TreeAccount,
  account: Account | undefined,
  tree: Tree,
  found: Found,
  parts: DoctorParts,
): readonly Server[] {
  const { id, provider, auth, ca, smtp, user } = written
  if (provider === 'local' || auth === undefined) return []
  const grant = grantsOf(found, parts).find((one) => one.account === id)
  const secrets = secretsOf(tree, parts)
  const isThere = (ref: string): Promise<boolean> => secrets.read(ref).then(Boolean, () => false)
  const isReady = async (): Promise<boolean> =>
    grant === undefined ? isThere(auth.secretRef) : (await grant.state()).kind === 'stands'
  const common = { account: id, isOAuth: auth.type === 'xoauth2', isReady }
  const reading = {
    ...common,
    ...(provider === 'gmail' ? apiServer(written, account) : imapServer(written, ca, account)),
    settings: keys(id, '', auth.secretRef, tree),
  }
  if (smtp === undefined) return [reading]
  const access = found.sendingAccess?.(written)
  const logIn = async (signal: AbortSignal): Promise<readonly string[]> =>
    access === undefined
      ? []
      : smtpLogin({ account: id, ...smtp, user: smtp.user || user, access, ...(ca !== undefined && { ca }) }, signal)
  const own = smtp.secretRef === undefined ? {} : { isOAuth: false, isReady: () => isThere(smtp.secretRef ?? '') }
  const settings = keys(id, 'smtp.', smtp.secretRef ?? auth.secretRef, tree)
  return [reading, { ...common, ...own, ...smtpServer(smtp, ca, logIn), settings }]
}

function keys(id: string, prefix: string, ref: string, { directory, secretStore }: Tree): Settings {
  const of = (key: string): string => `${prefix}${key} of account ${id} in ${join(directory, 'accounts.yaml')}`
  const inFile = secretStore.backend === 'file_dir' ? join(secretStore.path, ref.replace(/^secret:\/\//, '')) : ref
  return {
    host: of('host'),
    port: of('port'),
    tls: of('tls: starttls'),
    password: `the secret ${inFile} (postern setup asks for it again)`,
    authority: of('ca_file'),
  }
}

type Looks = Pick<Server, 'protocol' | 'host' | 'port' | 'tls' | 'line' | 'logIn'>

function imapServer({ host, port, tls }: Place, ca: string | undefined, account: Account | undefined): Looks {
  const place = { protocol: 'imap', host, port, tls } as const
  return { ...place, line: lineTo({ ...place, ca }), logIn: onceOnly((signal) => probe(account, signal)) }
}

function apiServer({ host, port, endpoint }: TreeAccount, account: Account | undefined): Looks {
  const tls = endpoint?.startsWith('http:') ? 'none' : 'implicit'
  const place = { protocol: 'http', host, port, tls } as const
  return { ...place, line: lineTo(place), logIn: onceOnly((signal) => probe(account, signal)) }
}

function smtpServer({ host, port, tls }: Place, ca: string | undefined, logIn: Server['logIn']): Looks {
  const place = { protocol: 'smtp', host, port, tls } as const
  return { ...place, line: lineTo({ ...place, ca }), logIn: onceOnly(logIn) }
}

function lineTo(
  to: Place & { readonly protocol: Server['protocol']; readonly ca?: string | undefined },
): Server['line'] {
  return onceOnly(async (signal) => {
    const { lookAtLine } = await import('../adapters/line/look.ts')
    return lookAtLine(to, signal)
  })
}

async function probe(account: Account | undefined, signal: AbortSignal): Promise<readonly string[]> {
  if (account === undefined) throw new Error('a server belongs to an account')
  return account.source.probe(signal)
}

async function smtpLogin(options: Parameters<typeof connect>[0], signal: AbortSignal): Promise<readonly string[]> {
  const session = await connect(options, signal)
  session.quit()
  return []
}

/** Several checks want to know; the server is asked once, and whoever asks first says how long it may take. */
function onceOnly<T>(ask: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let asked: Promise<T> | undefined
  return (signal) => {
    asked ??= ask(signal)
    return asked
  }
}
