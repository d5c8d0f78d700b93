/**
 * The command line: which words mean which command, and the help that teaches them.
 *
 * INVARIANT: parses and delegates; a command's work is handed in. Never ends the process: the exit code is returned.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import {
  type AuditVerifyChoice,
  DEFAULT_DEMO,
  DEFAULT_SERVE,
  type DemoChoice,
  type ImportChoice,
  type ServeChoice,
  splitNames,
  USUAL_PORT,
} from './choices.ts'

/** Each resolves to the exit code. */
export interface Commands {
  serve(choice: ServeChoice): Promise<number>
  demo(choice: DemoChoice): Promise<number>
  importMail(choice: ImportChoice): Promise<number>
  verifyAudit(choice: AuditVerifyChoice): Promise<number>
}

export interface Terminal {
  /** For what was asked for: stdout. */
  print(text: string): void
  /** For what went wrong: stderr. */
  complain(text: string): void
}

export async function runProgram(
  argv: readonly string[],
  version: string,
  commands: Commands,
  terminal: Terminal,
): Promise<number> {
  let exitCode = 0
  const program = makeProgram(version, terminal, commands, (code) => {
    exitCode = code
  })
  const [first] = argv
  if (first !== undefined && !first.startsWith('-') && first !== 'help' && !isCommand(program, first)) {
    terminal.complain(`postern: unknown command ${JSON.stringify(first)}; "postern --help" lists them\n`)
    return 1
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    throw error
  }
}

function isCommand(program: Command, word: string): boolean {
  return program.commands.some((command) => command.name() === word)
}

function makeProgram(version: string, terminal: Terminal, commands: Commands, exit: (code: number) => void): Command {
  const program = new Command('postern')
    .description('The guarded door between AI agents and people’s mail: one MCP server.')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'show this help; also after a command')
    .exitOverride()
    .configureOutput({ writeOut: terminal.print, writeErr: terminal.complain })
    .showHelpAfterError('(add --help for how it is used)')
    .addHelpText('after', EXAMPLES)
  addServe(program, commands, exit)
  addDemo(program, commands, exit)
  program
    .command('import')
    .description('read an mbox file (Google Takeout too), a Maildir or .eml files into a local account')
    .argument('<path>', 'the file or directory to read')
    .requiredOption('--account <id>', 'the local account to read it into')
    .action(async (path: string, { account }: { account: string }) =>
      exit(await commands.importMail({ path, account })),
    )
  program
    .command('audit')
    .description('check the record of what was done')
    .command('verify')
    .description('check the hash chain; names the first bad record and exits with 1')
    .argument('[directory]', 'the audit directory; the configured one when absent')
    .action(async (directory?: string) =>
      exit(await commands.verifyAudit(directory === undefined ? {} : { directory })),
    )
  return program
}

type ServeFlags = Omit<ServeChoice, 'toolsets'> & { readonly toolsets?: string[] }

function addServe(program: Command, commands: Commands, exit: (code: number) => void): void {
  program
    .command('serve', { isDefault: true })
    .description('serve MCP; what "postern" alone does')
    .addOption(
      new Option('--transport <kind>', 'how clients connect')
        .choices(['stdio', 'http'])
        .default(DEFAULT_SERVE.transport),
    )
    .option('--host <address>', 'where HTTP listens', DEFAULT_SERVE.host)
    .option('--port <number>', 'which port HTTP listens on; 0 for any free one', portNumber, DEFAULT_SERVE.port)
    .option('--toolsets <names>', 'tool sets to offer, with commas between them', splitNames)
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

function portNumber(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new InvalidArgumentError('A port is a number from 0 to 65535.')
}

const EXAMPLES = `
Examples:
  postern demo                          try it: a make-believe mailbox at http://127.0.0.1:${USUAL_PORT}/mcp
  postern                               serve the accounts in MAIL_IMAP_* over stdio, as MCP hosts start it
  postern --transport http --port 8025  the same for several clients over HTTP
  postern import mail.mbox --account archive
  postern audit verify                  check that nobody changed the record

One account from the environment:
  MAIL_IMAP_DEFAULT_HOST=imap.example.com MAIL_IMAP_DEFAULT_USER=me@example.com MAIL_IMAP_DEFAULT_PASS=… postern
Changes to mail are refused unless MAIL_IMAP_WRITE_ENABLED=true.
`
