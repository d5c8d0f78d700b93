/** The words of `postern audit`. */
import { type Command, InvalidArgumentError } from 'commander'
import type { AuditShowChoice } from './audit-show.ts'
import type { VerifyChoice } from './audit-verify.ts'
import { CONFIG } from './config-option.ts'

export interface AuditCommands {
  verifyAudit(choice: VerifyChoice & { readonly config?: string }): Promise<number>
  showAudit(choice: AuditShowChoice & { readonly config?: string }): Promise<number>
}

export function addAudit(program: Command, commands: AuditCommands, exit: (code: number) => void): void {
  const audit = program.command('audit').description('check and read the record of what was done')
  audit
    .command('verify')
    .description('check the hash chain; names the first bad record and exits with 1')
    .argument('[directory]', 'the audit directory; the configured one when absent')
    .option(...CONFIG)
    .option('--key <text>', 'the verifier key of the checkpoints, kept elsewhere')
    .action(async (directory: string | undefined, flags: VerifyChoice) =>
      exit(await commands.verifyAudit({ ...flags, ...(directory === undefined ? {} : { directory }) })),
    )
  audit
    .command('show')
    .description('print records, oldest first')
    .argument('[directory]', 'the audit directory; the configured one when absent')
    .option(...CONFIG)
    .option('--caller <id>', 'only of this caller')
    .option('--tool <name>', 'only of this tool')
    .option('--decision <decision>', 'only ALLOW or only DENY')
    .option('--reason <reason>', 'only with this reason')
    .option('--since <time>', 'from this day, time or age on, such as 2026-05-06 or 2h')
    .option('--until <time>', 'up to this day, time or age')
    .option('-n, --limit <number>', 'the last so many', wholeNumber)
    .option('--json', 'the lines as they are')
    .action(async (directory: string | undefined, flags: AuditShowChoice) =>
      exit(await commands.showAudit({ ...flags, ...(directory === undefined ? {} : { directory }) })),
    )
}

function wholeNumber(text: string): number {
  if (/^[0-9]{1,10}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
