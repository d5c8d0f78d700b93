/**
 * Starts Postern. Only the files beside this one see adapters.
 *
 * INVARIANT: hosts start one process per conversation, so nothing is loaded that a first answer does not need: the
 * command line's parser and every command but `serve` come in with their use.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from './adapters/clock/system-clock.ts'
import { createLog, type SecretiveLog } from './adapters/log/log.ts'
import { configDirectory, dataDirectory, ownConfigDirectory } from './config/directories.ts'
import { type EnvironmentConfig, readEnvironment } from './config/environment.ts'
import { readRequireDigest } from './config/require-digest.ts'
import { Failure } from './core/failure.ts'
import type { ImportProgress, ImportSummary } from './engine/import/tally.ts'
import { LOCAL, openForOwner, ownAccounts, usualSets } from './house/environment-house.ts'
import { outboxSettings } from './house/outbox.ts'
import { openContent, VERSION } from './house/postern.ts'
import { programAlone, programHere } from './house/program-words.ts'
import { setsNamed } from './house/tool-sets.ts'
import { asTyped } from './surfaces/cli/as-typed.ts'
import { type ImportChoice, quickServeChoice, type ServeChoice } from './surfaces/cli/choices.ts'
import type { OpenedDemo } from './surfaces/cli/demo.ts'
import type { Adviser, Commands } from './surfaces/cli/program.ts'
import { type CannotStart, type Opened, serve } from './surfaces/cli/serve.ts'
import { onStopSignal } from './surfaces/cli/stop-signals.ts'

const NO_ACCOUNTS =
  'no mail account is configured: run "postern setup", or set MAIL_IMAP_DEFAULT_HOST, MAIL_IMAP_DEFAULT_USER and MAIL_IMAP_DEFAULT_PASS, ' +
  'or try "postern demo", which needs none'

// SQLite's package has Node report on the process, to learn which C library there is; Node would ask DNS who is connected.
Object.assign(process.report ?? {}, { excludeNetwork: true })

const { env, platform, argv, stdin, stdout, stderr } = process
const log: SecretiveLog = createLog({ level: env['POSTERN_DEBUG'] === '1' ? 'debug' : 'warn' })
const streams = { input: stdin, output: stdout }
const terminal: Adviser = {
  print: (text) => void stdout.write(text),
  advise: (words) => void stdout.write(asTyped(words, programHere())),
  complain: (words) => void stderr.write(asTyped(words, programHere())),
}
const onStop = (stop: () => void): void => onStopSignal(process, stop)
const onReload = (reload: () => void): void => void process.on('SIGHUP', reload)

/** Who serves has let go of its client by itself: one that reads no more keeps nobody here. */
let isClientLetGo = false

const commands: Commands = {
  async serve(choice) {
    isClientLetGo = true
    return serve(choice, { open: openServer, streams, terminal, onStop, onReload })
  },
  async demo(choice) {
    isClientLetGo = choice.stdio
    const { demo } = await import('./surfaces/cli/demo.ts')
    const command = { command: process.execPath, args: [argv[1] ?? 'postern', 'demo', '--stdio'] }
    return demo(choice, { open: openDemo, command, program: programHere(), streams, terminal, onStop })
  },
  async importMail(choice) {
    const { importMail } = await import('./surfaces/cli/import-mail.ts')
    return importMail(choice, {
      run: runImport,
      advice: adviceAfterImport,
      terminal,
      interactive: stderr.isTTY === true,
      columns: stderr.columns,
      onStop,
    })
  },
  setup: async (choice) => (await operator()).setup(choice),
  client: async (choice) => (await operator()).client(choice),
  check: async (choice) => (await operator()).check(choice),
  explain: async (choice) => (await operator()).explain(choice),
  reload: async (choice) => (await operator()).reload(choice),
  sync: async (choice) => (await operator()).sync(choice),
  forget: async (choice) => (await operator()).forget(choice),
  transfers: async (choice) => (await operator()).transfers(choice),
  doctor: async (choice) => (await operator()).doctor(choice),
  outbox: async (choice) => (await operator()).outbox(choice),
  approve: async (choice) => (await operator()).approve(choice),
  reject: async (choice) => (await operator()).reject(choice),
  console: async (choice) => (await operator()).console(choice),
  oauth: async (choice) => (await operator()).oauth(choice),
  verifyAudit: async (choice) => (await operator()).verifyAudit(choice),
  showAudit: async (choice) => (await operator()).showAudit(choice),
}

void run().then((code) => {
  process.exitCode = code
  // Whatever is still open has nothing left to say; what a command said is read to its end first, however slowly.
  setTimeout(() => (isClientLetGo ? process.exit() : stdout.write('', () => process.exit())), 1000).unref()
})

async function run(): Promise<number> {
  const words = argv.slice(2)
  const quick = quickServeChoice(words)
  if (quick !== undefined) return commands.serve(quick)
  // Whoever reads what we print may leave early, as in `postern --help | head`.
  stdout.on('error', () => undefined)
  const { runProgram } = await import('./surfaces/cli/program.ts')
  return runProgram(words, VERSION, commands, terminal, programAlone())
}

/** What an operator does beside serving. */
async function operator(): Promise<Omit<Commands, 'serve' | 'demo' | 'importMail'>> {
  const { operatorCommands } = await import('./house/operator.ts')
  const { columns, isTTY: isTerminal = false } = stderr
  return operatorCommands({ env, platform, log, terminal, stdin, isTerminal, columns, print, onStop })
}

function print(text: string): Promise<boolean> {
  return new Promise((resolve) => stdout.write(text, (error) => resolve(!error)))
}

async function openServer(choice: ServeChoice): Promise<Opened | CannotStart> {
  if (choice.transport === 'stdio') return openAccounts(choice)
  const { readHttpSettings } = await import('./config/http.ts')
  const http = readHttpSettings(env)
  const opened = await openAccounts(choice)
  return opened.kind === 'open' ? { ...opened, http } : opened
}

async function openAccounts(choice: ServeChoice): Promise<Opened | CannotStart> {
  const chosen = configDirectory(env, choice.config)
  const config = chosen === undefined ? readEnvironment(env) : undefined
  const own = config?.accounts.length === 0 ? ownConfigDirectory(env, platform) : undefined
  const tree = chosen ?? own
  if (tree === undefined && config !== undefined) return openOwn(choice, config)
  const { openTree } = await import('./house/open-tree.ts')
  return openTree(tree?.directory ?? '', choice, { env, platform, log, terminal })
}

/** Processes that serve the inbox set over stdio are few, and need mirrors that they can read. */
async function openOwn(choice: ServeChoice, config: EnvironmentConfig): Promise<Opened | CannotStart> {
  if (choice.transport === 'http' || !choice.toolsets?.includes('inbox')) return openEnvironment(choice, config)
  const { newerMirrorOf, placeIn } = await import('./house/admit-inbox.ts')
  const directory = dataDirectory(env, platform)
  const place = newerMirrorOf(config.accounts, directory) ?? placeIn(directory, undefined, log)
  if ('kind' in place) return place
  const opened = openEnvironment(choice, config)
  return { ...opened, close: () => opened.close().finally(place.release) }
}

function openEnvironment({ transport, toolsets }: ServeChoice, config: EnvironmentConfig): Opened {
  const directory = dataDirectory(env, platform)
  const content = openContent(log)
  const accounts = ownAccounts(config, { directory, content, log, follow: true })
  for (const stray of config.strays) terminal.complain(`postern: ${stray}\n`)
  if (accounts.length === 0) throw new Failure('invalid_input', NO_ACCOUNTS)
  const sets = setsNamed(toolsets ?? usualSets(accounts))
  for (const { imap, smtp } of config.accounts) for (const server of [imap, smtp]) if (server) log.hide(server.password)
  const given = config.httpToken
  const token = given ?? (transport === 'http' ? newToken() : undefined)
  const opened = openForOwner({
    accounts,
    content,
    directory,
    id: 'local',
    writes: config.writeEnabled,
    requireDigest: readRequireDigest(env),
    sets,
    token,
    outbox: outboxSettings(env, directory),
    log,
  })
  if (transport === 'http' && given === undefined) {
    terminal.complain(`postern: the token for this run is ${token} (POSTERN_HTTP_TOKEN sets one of your own)\n`)
  }
  return opened
}

/** Beside src/ in a clone, and beside dist/ in a package. */
const DEMO_FOLDER = join(import.meta.dirname, '../demo')

async function openDemo(): Promise<OpenedDemo> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-demo-'))
  const { createLocalSource } = await import('./adapters/local/source.ts')
  const { localDatabase } = await import('./adapters/local/accounts.ts')
  const { DEMO_ADDRESS: address, demoMessages } = await import('./house/demo-mailbox.ts')
  const { databaseFiles: databases } = await import('./adapters/sqlite/database-files.ts')
  const source = createLocalSource({ path: localDatabase(directory, 'default'), account: 'default', databases })
  await source.appendMany(demoMessages(DEMO_FOLDER, systemClock.now()), undefined, new AbortController().signal)
  const { demoSender: sender } = await import('./engine/demo/sender.ts')
  const accounts = [{ ...LOCAL, id: 'default', source, sender, address }]
  const token = newToken()
  const outbox = { vault: join(directory, 'vault'), devMode: false }
  const sets = setsNamed(['imap', 'outbox'])
  const owner = { id: 'demo', writes: true, requireDigest: true, sets, token, outbox }
  const opened = openForOwner({ accounts, content: openContent(log), directory, ...owner, log })
  const close = async (): Promise<void> => {
    await opened.close()
    rmSync(directory, { recursive: true, force: true })
  }
  return { ...opened, token, directory, close }
}

async function runImport(
  { path, account }: ImportChoice,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const [{ importMail }, { createLocalSource }, { createMailArchive }, { accountId, localDatabase }] =
    await Promise.all([
      import('./engine/import/import-mail.ts'),
      import('./adapters/local/source.ts'),
      import('./adapters/archive/archive.ts'),
      import('./adapters/local/accounts.ts'),
    ])
  const id = accountId(account)
  const directory = dataDirectory(env, platform)
  const { refuseServerAccount } = await import('./house/import-advice.ts')
  refuseServerAccount(id, { env, platform, directory })
  const local = join(directory, 'local')
  const { databaseFiles: databases } = await import('./adapters/sqlite/database-files.ts')
  const mailbox = createLocalSource({ path: localDatabase(local, id), account: id, databases })
  try {
    return await importMail({ archive: createMailArchive(), mailbox, clock: systemClock }, { path, signal, onProgress })
  } finally {
    await mailbox.close()
  }
}

async function adviceAfterImport({ account }: ImportChoice): Promise<readonly string[]> {
  const { importAdvice } = await import('./house/import-advice.ts')
  return importAdvice(account, { env, platform, directory: dataDirectory(env, platform) })
}

function newToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
}
