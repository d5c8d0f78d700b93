/** The words of the command line that open the console. */
import type { Command } from 'commander'
import { CONFIG } from './config-option.ts'
import type { ConsoleChoice } from './console.ts'
import { portNumber } from './port-number.ts'

export interface ConsoleCommands {
  console(choice: ConsoleChoice): Promise<number>
}

export function addConsole(program: Command, commands: ConsoleCommands, exit: (code: number) => void): void {
  program
    .command('console')
    .description('approve letters and look at everything, in a browser on this machine')
    .option(...CONFIG)
    .option('--port <number>', 'which port to listen on; 0 for any free one', portNumber)
    .option('--no-open', 'only print the link; do not start a browser')
    .option('--link', 'print a new link to a console that is being served already', false)
    .action(async (flags: ConsoleChoice) => exit(await commands.console(flags)))
}
