/** The words of the command line about letters that leave: `outbox`, `approve`, `reject`. */
import type { Command } from 'commander'
import { Failure } from '../../core/failure.ts'
import type { ApproveChoice, OutboxChoice, RejectChoice } from './choices.ts'
import { CONFIG } from './config-option.ts'

export interface OutboxCommands {
  outbox(choice: OutboxChoice): Promise<number>
  approve(choice: ApproveChoice): Promise<number>
  reject(choice: RejectChoice): Promise<number>
}

interface OutboxFlags {
  readonly config?: string
  readonly all: boolean
  readonly json: boolean
  readonly look: boolean
  readonly sent: boolean
  readonly notSent: boolean
  readonly yes: boolean
}

const ID = 'as "outbox" shows it, or its beginning'

export function addOutbox(program: Command, commands: OutboxCommands, exit: (code: number) => void): void {
  program
    .command('outbox')
    .description('messages that wait for approval, or all of one of them, with what its recipients will not see')
    .argument('[id]', `one letter, ${ID}`)
    .option(...CONFIG)
    .option('--all', 'those that are over too', false)
    .option('--json', 'one JSON object a letter', false)
    .option('--look', 'of one that needs an operator: look for it among what was sent', false)
    .option('--sent', 'of one that needs an operator: record that it was sent', false)
    .option('--not-sent', 'of one that needs an operator: record that it was not sent', false)
    .option('--yes', 'do not ask', false)
    .action(async (id: string | undefined, flags: OutboxFlags) => exit(await commands.outbox(outboxChoice(id, flags))))
  program
    .command('approve')
    .description('show all of a message and approve it: it is sent when the agent asks again')
    .argument('<id>', `the message, ${ID}`)
    .option(...CONFIG)
    .option('--yes', 'do not ask', false)
    .option('--acknowledge-hidden', 'let content be sent that its recipients will not see', false)
    .option('--as-text', 'approve and send a version of it as plain text instead', false)
    .option('--remove-hidden', 'approve and send a version of it without hidden content instead', false)
    .action(async (id: string, flags: ApproveFlags) => exit(await commands.approve(approveChoice(id, flags))))
  program
    .command('reject')
    .description('refuse a letter: it is not sent, and the agent is told so')
    .argument('<id>', `the letter, ${ID}`)
    .option(...CONFIG)
    .option('--reason <text>', 'why; the agent is told')
    .action(async (id: string, flags: Omit<RejectChoice, 'id'>) => exit(await commands.reject({ ...flags, id })))
}

interface ApproveFlags {
  readonly config?: string
  readonly yes: boolean
  readonly acknowledgeHidden: boolean
  readonly asText: boolean
  readonly removeHidden: boolean
}

function approveChoice(id: string, { asText, removeHidden, ...flags }: ApproveFlags): ApproveChoice {
  if (asText && removeHidden) throw new Failure('invalid_input', 'use only one of --as-text and --remove-hidden')
  if (asText) return { ...flags, id, version: 'plain_text' }
  return removeHidden ? { ...flags, id, version: 'without_hidden' } : { ...flags, id }
}

function outboxChoice(id: string | undefined, flags: OutboxFlags): OutboxChoice {
  const { config, all, json, look, sent, notSent, yes } = flags
  const where = config === undefined ? {} : { config }
  const asked = [look, sent, notSent].filter(Boolean).length
  if (asked > 1) throw new Failure('invalid_input', 'say only one of --look, --sent and --not-sent')
  if (id === undefined) {
    if (asked > 0 || yes) throw new Failure('invalid_input', 'name the letter: postern outbox ID')
    return { command: 'list', all, json, ...where }
  }
  if (all) throw new Failure('invalid_input', 'name one letter, or say --all')
  if (look) return { command: 'look', id, ...where }
  if (sent || notSent) return { command: 'settle', id, wasSent: sent, yes, ...where }
  return { command: 'show', id, json, ...where }
}
