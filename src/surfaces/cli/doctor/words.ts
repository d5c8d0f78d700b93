/** The words of the command line about what is wrong: `doctor`. */
import type { Command } from 'commander'
import { CONFIG } from '../config-option.ts'
import type { DoctorChoice } from './command.ts'

export interface DoctorCommands {
  doctor(choice: DoctorChoice): Promise<number>
}

export function addDoctor(program: Command, commands: DoctorCommands, exit: (code: number) => void): void {
  program
    .command('doctor')
    .description('find out what is wrong here, and what mends it; exits with 1 where something is broken')
    .option(...CONFIG)
    .option('--json', 'one JSON object', false)
    .action(async (flags: DoctorChoice) => exit(await commands.doctor(flags)))
}
