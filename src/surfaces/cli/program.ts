/**
 * The command line: which words mean which command, and the help that teaches them.
 *
 * INVARIANT: parses and delegates; a command's work is handed in. Never ends the process: the exit code is returned. What a
 * command does not say itself of why it failed is said here, in one line.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { Failure } from '../../core/failure.ts'
import { nearest } from '../../core/text/nearest.ts'
import { type AuditCommands, addAudit } from './audit-words.ts'
import {
  type CheckChoice,
  DEFAULT_DEMO,
  DEFAULT_SERVE,
  type DemoChoice,
  type ExplainChoice,
  type ImportChoice,
  type ReloadChoice,
  type RetryChoice,
  type ServeChoice,
  splitNames,
  type TransfersChoice,
  USUAL_HOST,
  USUAL_PORT,
} from './choices.ts'
import { addClientWords, type ClientCommands } from './client-words.ts'
import { addCompletions } from './completions.ts'
import { CONFIG } from './config-option.ts'
import { addConsole, type ConsoleCommands } from './console-words.ts'
import { addDoctor, type DoctorCommands } from './doctor/words.ts'
import { escaped } from './escaped.ts'
import type { ForgetChoice } from './forget.ts'
import { teach } from './help-words.ts'
import type { OAuthChoice } from './oauth.ts'
import { addOutbox, type OutboxCommands } from './outbox-words.ts'
import { portNumber } from './port-number.ts'
import { addSetupWords, type SetupCommands } from './setup/words.ts'
import type { SyncChoice } from './sync.ts'

/** Each resolves to the exit code. */
export interface Commands
  extends AuditCommands,
    OutboxCommands,
    ConsoleCommands,
    DoctorCommands,
    SetupCommands,
    ClientCommands {
  serve(choice: ServeChoice): Promise<number>
  demo(choice: DemoChoice): Promise<number>
  importMail(choice: ImportChoice): Promise<number>
  check(choice: CheckChoice): Promise<number>
  explain(choice: ExplainChoice): Promise<number>
  reload(choice: ReloadChoice): Promise<number>
  oauth(choice: OAuthChoice & { readonly config?: string }): Promise<number>
  sync(choice: SyncChoice): Promise<number>
  forget(choice: ForgetChoice): Promise<number>
  transfers(choice: TransfersChoice): Promise<number>
}

export interface Terminal {
  /** For what was asked for: stdout. */
  print(text: string): void
  /** For what went wrong, in our own words: stderr. */
  complain(words: string): void
}

export interface Adviser extends Terminal {
  /** What was asked for, in our own words alone: commands in it are written as this person types them. */
  advise(words: string): void
}

export async function runProgram(
  given: readonly string[],
  version: string,
  commands: Commands,
  terminal: Terminal,
  name?: string,
): Promise<number> {
  const argv = given[0] === 'help' ? askingForHelp(given) : given
  let exitCode = 0
  const exit = (code: number): void => {
    exitCode = code
  }
  const program = makeProgram(version, terminal, commands, exit, name)
  const [first] = argv
  if (first !== undefined && !first.startsWith('-') && !isCommand(program, first)) {
    const meant = nearest(
      first,
      program.commands.map((command) => command.name()),
    )
    const cure = meant === undefined ? '"postern --help" lists them' : `did you mean ${meant}?`
    terminal.complain(`postern: unknown command ${JSON.stringify(first)}; ${cure}\n`)
    return 1
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    if (!(error instanceof Failure)) throw error
    terminal.complain(`postern: ${error.message}\n`)
    return 1
  }
}

/** "postern help setup" is "postern setup --help". After a "--", "--help" would be an argument and the command would run. */
function askingForHelp(words: readonly string[]): readonly string[] {
  return [...words.filter((word) => word !== 'help' && word !== '--'), '--help']
}

function isCommand(program: Command, word: string): boolean {
  return program.commands.some((command) => command.name() === word)
}

/** The program with its words; `exit` is told what a command ended with, and `name` is what a person types to start it. */
export function makeProgram(
  version: string,
  terminal: Terminal,
  commands: Commands,
  exit: (code: number) => void,
  name = 'postern',
): Command {
  const program = new Command(name)
    .description('The guarded door between AI agents and people’s mail: one MCP server.')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'show this help; also after a command')
    .exitOverride()
    .configureOutput({ writeOut: terminal.print, writeErr: terminal.complain })
    .showHelpAfterError('(add --help for how it is used)')
  addSetupWords(program, commands, exit)
  addClientWords(program, commands, exit)
  addServe(program, commands, exit)
  addDemo(program, commands, exit)
  program
    .command('import')
    .description('read an mbox file (Google Takeout too), a Maildir or .eml files into a local account')
    .argument('<path>', 'the file or directory to read')
    .option('--account <id>', 'the local account to read it into')
    .action(async (path: string, { account }: { account?: string }, command: Command) => {
      // Not left to the parser, which would ask for it before it asks for the path.
      if (account === undefined) return command.error("error: required option '--account <id>' not specified")
      return exit(await commands.importMail({ path, account }))
    })
  addTreeCommands(program, commands, exit)
  addMirrors(program, commands, exit)
  addTransfers(program, commands, exit)
  addOutbox(program, commands, exit)
  addConsole(program, commands, exit)
  addAudit(program, commands, exit)
  addDoctor(program, commands, exit)
  addCompletions(program, terminal.print)
  return teach(program)
}

function addTreeCommands(program: Command, commands: Commands, exit: (code: number) => void): void {
  program
    .command('check')
    .description('validate a configuration tree and say in plain words what each caller may do')
    .option(...CONFIG)
    .allowExcessArguments()
    .action(async (flags: CheckChoice, command: Command) => {
      refuseArgument(command)
      exit(await commands.check(flags))
    })
  program
    .command('explain')
    .description('say at what level a caller sees one message, and why')
    .option(...CONFIG)
    .requiredOption('--caller <id>', 'the caller')
    .requiredOption('--account <id>', 'the account')
    .requiredOption('--folder <path>', 'the folder, with / between its levels')
    .requiredOption('--uid <number>', 'the message', uidNumber)
    .action(async (flags: ExplainChoice) => exit(await commands.explain(flags)))
  program
    .command('reload')
    .description('have running servers read their configuration tree again')
    .option(...CONFIG)
    .allowExcessArguments()
    .action(async (flags: ReloadChoice, command: Command) => {
      refuseArgument(command)
      exit(await commands.reload(flags))
    })
  program
    .command('oauth')
    .description('grant access to an account in a browser, once')
    .option(...CONFIG)
    .requiredOption('--account <id>', 'the account')
    .option('--paste', 'the browser is on another machine: paste the address it ends at', false)
    .action(async (flags: OAuthChoice & CheckChoice) => exit(await commands.oauth(flags)))
}

/** A directory that stands alone is most likely the tree. */
function refuseArgument(command: Command): void {
  const [first] = command.args
  if (first === undefined) return
  throw new Failure('invalid_input', `${command.name()} takes no argument; write --config ${escaped(first)}`)
}

function addMirrors(program: Command, commands: Commands, exit: (code: number) => void): void {
  program
    .command('sync')
    .description('bring the mirrors of accounts to where their servers are; goes on where it was stopped')
    .argument('[account...]', 'the accounts; all that have a mirror when absent')
    .option(...CONFIG)
    .option('--json', 'one JSON object a folder', false)
    .action(async (accounts: string[], flags: Omit<SyncChoice, 'accounts'>) =>
      exit(await commands.sync({ ...flags, accounts })),
    )
  program
    .command('forget')
    .description('remove what is kept of an account on this machine; the mail itself stays')
    .argument('<account>', 'the account')
    .option(...CONFIG)
    .option('--yes', 'do not ask', false)
    .action(async (account: string, flags: Omit<ForgetChoice, 'account'>) =>
      exit(await commands.forget({ ...flags, account })),
    )
}

function addTransfers(program: Command, commands: Commands, exit: (code: number) => void): void {
  const transfers = program.command('transfers').description('moves and copies between accounts')
  transfers
    .command('list')
    .description('those that are not finished')
    .option(...CONFIG)
    .option('--all', 'finished ones too', false)
    .action(async (flags: CheckChoice & { all: boolean }) =>
      exit(await commands.transfers({ command: 'list', ...flags })),
    )
  transfers
    .command('retry')
    .description('try one again that needs an operator, or all of them')
    .argument('[tx_id]', TX_ID)
    .option(...CONFIG)
    .option('--all', 'all that need an operator', false)
    .action(async (txId: string | undefined, { all, ...flags }: CheckChoice & { all: boolean }) =>
      exit(await commands.transfers({ command: 'retry', which: whichOf(txId, all), ...flags })),
    )
  transfers
    .command('abandon')
    .description('give one up that needs an operator; nothing more is done about it')
    .argument('<tx_id>', TX_ID)
    .option(...CONFIG)
    .action(async (txId: string, flags: CheckChoice) =>
      exit(await commands.transfers({ command: 'abandon', txId, ...flags })),
    )
}

const TX_ID = 'as "transfers list" shows it'

function whichOf(txId: string | undefined, all: boolean): RetryChoice['which'] {
  if ((txId === undefined) !== all) throw new Failure('invalid_input', 'name one transfer to retry, or say --all')
  return txId === undefined ? 'all' : { txId }
}

function uidNumber(text: string): number {
  const uid = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (uid >= 1 && uid <= 0xffff_ffff) return uid
  throw new InvalidArgumentError('A uid is a number from 1 to 4294967295.')
}

type ServeFlags = Omit<ServeChoice, 'toolsets'> & { readonly toolsets?: string[] }

function addServe(program: Command, commands: Commands, exit: (code: number) => void): void {
  program
    .command('serve', { isDefault: true })
    .description('serve MCP; what is done without a command')
    .addOption(
      new Option('--transport <kind>', 'how clients connect')
        .choices(['stdio', 'http'])
        .default(DEFAULT_SERVE.transport),
    )
    .option(...CONFIG)
    .option('--host <address>', `where HTTP listens (default: ${USUAL_HOST})`)
    .option('--port <number>', `which port HTTP listens on; 0 for any free one (default: ${USUAL_PORT})`, portNumber)
    .option(
      '--toolsets <names>',
      'tool sets to offer, with commas between them: imap, policy, inbox, outbox',
      splitNames,
    )
    .action(async (flags: ServeFlags) => exit(await commands.serve(flags)))
}

function addDemo(program: Command, commands: Commands, exit: (code: number) => void): void {
  program
    .command('demo')
    .description('serve a make-believe mailbox, and print what to paste into your client')
    .option('--stdio', 'serve it over stdio instead of HTTP', DEFAULT_DEMO.stdio)
    .option('--port <number>', `which port to listen on (default: ${USUAL_PORT}, or any free one)`, portNumber)
    .action(async (flags: DemoChoice) => exit(await commands.demo(flags)))
}
