/** The words of the command line about MCP clients: `client add`, `client remove`, `client list`. */
import type { Command } from 'commander'
import { CLIENTS } from '../../core/setup/clients.ts'
import type { ClientChoice } from './client-command.ts'
import { CONFIG } from './config-option.ts'

export interface ClientCommands {
  client(choice: ClientChoice): Promise<number>
}

const NAME: [string, string, string] = ['--name <name>', 'the name of the entry', 'postern']
const WHICH = CLIENTS.map(({ id }) => id).join(', ')

export function addClientWords(program: Command, commands: ClientCommands, exit: (code: number) => void): void {
  const client = program.command('client').description('put Postern into the configuration of an MCP client')
  client
    .command('add')
    .description('add it, or bring it up to date; a copy of the file is kept')
    .argument('<client>', WHICH)
    .option(...CONFIG)
    .option('--caller <id>', 'who the client is, as in callers.yaml; the only one when absent')
    .option(...NAME)
    .option('--print', 'only show what belongs in its file', false)
    .action(async (id: string, flags: Omit<Extract<ClientChoice, { command: 'add' }>, 'command' | 'client'>) =>
      exit(await commands.client({ command: 'add', client: id, ...flags })),
    )
  client
    .command('remove')
    .description('take it out again; a copy of the file is kept')
    .argument('<client>', WHICH)
    .option(...NAME)
    .action(async (id: string, { name }: { readonly name: string }) =>
      exit(await commands.client({ command: 'remove', client: id, name })),
    )
  client
    .command('list')
    .description('the clients that are known, which of them are here, and which have it')
    .option(...NAME)
    .action(async ({ name }: { readonly name: string }) => exit(await commands.client({ command: 'list', name })))
}
