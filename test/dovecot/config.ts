/** The configuration of a Dovecot that needs no privileges and touches nothing outside its own directory. */
import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'
import type { Certificate } from './certificate.ts'

export interface DovecotConfig {
  readonly dir: string
  readonly port: number
  readonly tlsPort: number
  readonly certificate: Certificate
  /** What the server announces after login; its own list when absent. */
  readonly capability: string | undefined
  readonly extra: string
}

const SERVICES = [
  'aggregator anvil auth auth-worker config dict dict-async director dns-client doveadm health-check imap imap-hibernate',
  'imap-login imap-urlauth imap-urlauth-login imap-urlauth-worker indexer indexer-worker ipc lmtp log old-stats pop3',
  'pop3-login replicator stats submission submission-login tcpwrap',
]
  .join(' ')
  .split(' ')

export function dovecotConfig({ dir, port, tlsPort, certificate, capability, extra }: DovecotConfig): string {
  return [
    ...general(dir),
    ...(capability === undefined ? [] : [`imap_capability = ${capability}`]),
    'ssl = yes',
    `ssl_cert = <${certificate.certFile}`,
    `ssl_key = <${certificate.keyFile}`,
    ...block('namespace inbox', [
      'inbox = yes',
      'separator = /',
      ...block('mailbox Sent', ['special_use = \\Sent', 'auto = create']),
      ...block('mailbox Trash', ['special_use = \\Trash', 'auto = create']),
    ]),
    ...users(dir),
    ...SERVICES.flatMap((service) =>
      block(`service ${service}`, ['chroot =', ...serviceLines(service, port, tlsPort)]),
    ),
    extra,
    '',
  ].join('\n')
}

function general(dir: string): string[] {
  return [
    `base_dir = ${dir}/run`,
    `state_dir = ${dir}/run`,
    `log_path = ${dir}/log`,
    'protocols = imap',
    'listen = 127.0.0.1',
    'first_valid_uid = 1',
    'disable_plaintext_auth = no',
    'auth_mechanisms = plain login',
    'auth_failure_delay = 0',
    'mail_max_userip_connections = 200',
    'mail_fsync = never',
    'maildir_stat_dirs = yes',
    `mail_location = maildir:${dir}/mail/%u:LAYOUT=fs`,
    // As root, Dovecot drops to its own users; as anybody else it can only be that user.
    ...(isRoot()
      ? []
      : [`default_internal_user = ${me()}`, `default_login_user = ${me()}`, `default_internal_group = ${group()}`]),
  ]
}

function users(dir: string): string[] {
  return [
    ...block('passdb', ['driver = passwd-file', `args = ${dir}/users`]),
    ...block('userdb', ['driver = passwd-file', `args = ${dir}/users`]),
  ]
}

function serviceLines(service: string, port: number, tlsPort: number): string[] {
  if (service === 'imap-login') {
    return [
      'service_count = 0',
      ...block('inet_listener imap', [`port = ${port}`]),
      ...block('inet_listener imaps', [`port = ${tlsPort}`, 'ssl = yes']),
    ]
  }
  // Without the penalty a test that gives a wrong password does not slow down the next one.
  if (service === 'anvil') return block('unix_listener anvil-auth-penalty', ['mode = 0'])
  if (service === 'imap') return ['process_limit = 300', 'service_count = 100']
  return []
}

function block(head: string, lines: readonly string[]): string[] {
  return [`${head} {`, ...lines.map((line) => `  ${line}`), '}']
}

/** Who owns the mail: never root, which Dovecot refuses. */
export function mailOwner(): { readonly uid: number; readonly gid: number } {
  const { uid, gid } = userInfo()
  return isRoot() ? { uid: 65534, gid: 65534 } : { uid, gid }
}

function isRoot(): boolean {
  return userInfo().uid === 0
}

function me(): string {
  return userInfo().username
}

function group(): string {
  return execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim()
}
