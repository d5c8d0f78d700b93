/** The words of the command line for `postern setup`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEEDS, PRESETS } from '../../../core/setup/preset.ts'
import { portIn } from '../../../core/setup/servers.ts'
import { splitNames } from '../choices.ts'
import type { SetupChoice } from './choice.ts'

export interface SetupCommands {
  setup(choice: SetupChoice): Promise<number>
}

const TLS = ['implicit', 'starttls', 'none']
const LEVELS = ['ENVELOPE', 'BODY', 'FULL']

export function addSetupWords(program: Command, commands: SetupCommands, exit: (code: number) => void): void {
  const setup = program
    .command('setup')
    .description('set up an account, what an agent may do with it, and the client; again to change or remove one')
    .option('--config <directory>', 'where the configuration goes; your own config directory when absent')
    .option('--yes', 'ask nothing: what is not said gets its usual answer', false)
    .option('--address <address>', 'your mail address')
    .option('--account <id>', 'a short name for the account (default: after the domain)')
    .option('--remove <account>', 'remove an account instead')
  addServers(setup)
  setup
    .addOption(
      choices(
        '--preset <name>',
        'what the agent may do',
        PRESETS.map(({ name }) => name),
      ),
    )
    .option('--folders <paths>', 'with --preset custom: which folders, with commas between them', splitNames)
    .addOption(choices('--level <level>', 'with --preset custom: how much of a message is shown', LEVELS))
    .option('--may <deeds>', `with --preset custom: of ${DEEDS.join(', ')}, with commas between them`, deeds)
    .addOption(
      choices('--mirror <depth>', 'what is kept on this machine for fast searches', ['off', 'headers', 'full']),
    )
    .addOption(choices('--secrets <place>', 'where passwords are kept', ['keychain', 'file']))
    .option('--caller <id>', 'the agent that the account is for (default: the only one, or "agent")')
    .option('--client <names>', 'MCP clients to configure, with commas between them, or "none"', clients)
    .action(async (flags: SetupChoice) => exit(await commands.setup(flags)))
}

function addServers(setup: Command): void {
  setup
    .option('--user <login>', 'the login name, where it is not the address')
    .addOption(choices('--auth <way>', 'how to log in', ['password', 'oauth']))
    .option('--password-file <path>', 'a file that holds the password; "-" for stdin')
    .option('--paste', 'OAuth with the browser on another machine: paste the address it ends at', false)
    .option('--imap-host <host>', 'where the mail is')
    .option('--imap-port <number>', 'its port (default: 993, or 143 with starttls)', portNumber)
    .addOption(choices('--imap-tls <kind>', `how its line is made safe (default: ${assumed(993)})`, TLS))
    .option('--smtp-host <host>', 'where letters leave')
    .option('--smtp-port <number>', 'its port (default: 465, or 587 with starttls)', portNumber)
    .addOption(choices('--smtp-tls <kind>', `how its line is made safe (default: ${assumed(465)})`, TLS))
    .option('--smtp-user <login>', 'the login name there, where it is another one')
    .option('--smtp-password-file <path>', 'the password there, where it is another one')
    .option(
      '--ca-file <path>',
      'PEM file with the certificate authorities of your own to trust, one or several, at both servers',
    )
}

/** As `usualTls` has it. */
function assumed(port: number): string {
  return `implicit without a port or at ${port}; at another port starttls, or none on this machine`
}

function choices(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values)
}

function clients(text: string): string[] {
  return text === 'none' ? [] : splitNames(text)
}

function deeds(text: string): string[] {
  const names = splitNames(text)
  const wrong = names.find((name) => !DEEDS.some((deed) => deed === name))
  if (wrong === undefined) return names
  throw new InvalidArgumentError(`Known are ${DEEDS.join(', ')}.`)
}

function portNumber(text: string): number {
  const port = portIn(text)
  if (port !== undefined) return port
  throw new InvalidArgumentError('A port is a number from 1 to 65535.')
}
