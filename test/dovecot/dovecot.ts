/**
 * A real Dovecot on loopback, with mail and users of its own, gone without a trace after `stop`.
 * It speaks cleartext (and STARTTLS) on `port` and TLS on `tlsPort`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { access, appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from './certificate.ts'
import { dovecotConfig, mailOwner } from './config.ts'
import { type Delivery, deliver } from './maildir.ts'

const BINARIES = ['/usr/sbin/dovecot', '/usr/local/sbin/dovecot', '/opt/homebrew/sbin/dovecot']
const START_MS = 60_000
const LOWEST_PORT = 20_000
const PORTS_EACH = 1500
const MOST_WORKERS = 8
let lastPort = Math.floor(Math.random() * PORTS_EACH)

/** What Dovecot 2.3 announces after login, for shapes that leave some of it out. */
const ANNOUNCED = [
  'IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY THREAD=REFERENCES THREAD=REFS THREAD=ORDEREDSUBJECT',
  'MULTIAPPEND URL-PARTIAL CATENATE UNSELECT CHILDREN NAMESPACE UIDPLUS LIST-EXTENDED I18NLEVEL=1 CONDSTORE QRESYNC ESEARCH',
  'ESORT SEARCHRES WITHIN CONTEXT=SEARCH LIST-STATUS BINARY MOVE SNIPPET=FUZZY PREVIEW=FUZZY PREVIEW STATUS=SIZE SAVEDATE',
  'LITERAL+ NOTIFY SPECIAL-USE',
]
  .join(' ')
  .split(' ')

export function capabilityWithout(...names: readonly string[]): string {
  return ANNOUNCED.filter((name) => !names.includes(name)).join(' ')
}

export interface DovecotOptions {
  /** Login name to password. */
  readonly users: Readonly<Record<string, string>>
  readonly capability?: string
  /** Alternative names of the certificate, as openssl writes them. */
  readonly certificateNames?: string
  /** More configuration lines. */
  readonly extra?: string
  /** The server's own time zone. */
  readonly timezone?: string
}

export interface Dovecot {
  readonly port: number
  readonly tlsPort: number
  readonly caFile: string
  addUser(user: string, password: string): Promise<void>
  /** Puts many messages into a mailbox at once, as files. Mailbox names in ASCII only. */
  deliver(user: string, mailbox: string, messages: readonly Delivery[]): Promise<void>
  log(): Promise<string>
  stop(): Promise<void>
  /** Ends the server; its mail, its users and its ports stay. */
  pause(): Promise<void>
  /** Starts it again on the same ports, after `pause`. */
  restart(): Promise<void>
}

export async function startDovecot(options: DovecotOptions): Promise<Dovecot> {
  const binary = await findBinary()
  const dir = await mkdtemp(join(tmpdir(), 'pd-'))
  await chmod(dir, 0o755)
  const [port, tlsPort] = [await freePort(), await freePort()]
  const certificate = await makeCertificate(dir, options.certificateNames)
  const config = join(dir, 'dovecot.conf')
  const { capability, extra = '' } = options
  await writeFile(config, dovecotConfig({ dir, port, tlsPort, certificate, capability, extra }))
  await ownedDirectory(join(dir, 'mail'))
  await writeFile(join(dir, 'users'), '', { mode: 0o644 })
  const addUser = (user: string, password: string): Promise<void> => registerUser(dir, user, password)
  for (const [user, password] of Object.entries(options.users)) await addUser(user, password)

  const launch = (): Promise<ChildProcess> => launchDovecot(binary, config, port, options.timezone ?? 'UTC', dir)
  let child = await launch()
  return {
    port,
    tlsPort,
    caFile: certificate.caFile,
    addUser,
    deliver: (user, mailbox, messages) => deliver(join(dir, 'mail', user), mailbox, messages, mailOwner()),
    log: () => readFile(join(dir, 'log'), 'utf8'),
    pause: () => terminate(child),
    restart: async () => {
      child = await launch()
    },
    stop: async () => {
      await terminate(child)
      await rm(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function findBinary(): Promise<string> {
  for (const path of BINARIES) {
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path
  }
  throw new Error('these tests need Dovecot (apt-get install dovecot-imapd)')
}

async function ownedDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true })
  const { uid, gid } = mailOwner()
  await chown(path, uid, gid)
}

async function registerUser(dir: string, user: string, password: string): Promise<void> {
  const { uid, gid } = mailOwner()
  await ownedDirectory(join(dir, 'mail', user))
  await appendFile(join(dir, 'users'), `${user}:{PLAIN}${password}:${uid}:${gid}::${join(dir, 'mail', user)}::\n`)
}

async function launchDovecot(
  binary: string,
  config: string,
  port: number,
  timezone: string,
  dir: string,
): Promise<ChildProcess> {
  const child = spawn(binary, ['-F', '-c', config], { stdio: 'ignore', env: { ...process.env, TZ: timezone } })
  // A test run that ends without stopping its servers takes them along.
  const takeAlong = (): void => void child.kill('SIGTERM')
  process.once('exit', takeAlong)
  child.once('exit', () => process.off('exit', takeAlong))
  const deadline = Date.now() + START_MS
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      const log = await readFile(join(dir, 'log'), 'utf8').catch(() => 'no log was written')
      await terminate(child)
      await rm(dir, { recursive: true, force: true })
      throw new Error(`Dovecot did not start:\n${log}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return child
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const finish = (ready: boolean): void => {
      socket.destroy()
      resolve(ready)
    }
    socket.once('data', () => finish(true))
    socket.once('error', () => finish(false))
    socket.once('close', () => resolve(false))
  })
}

/**
 * One that nobody listens on, now or until it is used: it lies below those that a system hands out to whoever wants any, and among
 * those of this worker, of which none is given twice in a row.
 */
export async function freePort(): Promise<number> {
  const first = LOWEST_PORT + (Number(process.env['VITEST_POOL_ID'] ?? 0) % MOST_WORKERS) * PORTS_EACH
  for (let tries = 0; tries < PORTS_EACH; tries += 1) {
    lastPort = (lastPort + 1) % PORTS_EACH
    if (await isFree(first + lastPort)) return first + lastPort
  }
  throw new Error('no port is free')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
