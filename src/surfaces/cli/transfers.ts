/** `postern transfers`: shows moves between accounts, and has those tried again or given up that need a person. */
import { Failure } from '../../core/failure.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { RetryChoice, TransfersChoice } from './choices.ts'
import type { Terminal } from './program.ts'

export interface TransfersParts {
  list(all: boolean): Promise<readonly Transfer[]>
  /** Resolves to the transfers as they are afterwards. */
  retry(which: RetryChoice['which']): Promise<readonly Transfer[]>
  abandon(txId: string): Promise<Transfer>
  readonly terminal: Terminal
}

export async function transfers(choice: TransfersChoice, parts: TransfersParts): Promise<number> {
  const { terminal } = parts
  try {
    switch (choice.command) {
      case 'list':
        terminal.print(linesOf(await parts.list(choice.all), 'no transfers'))
        return 0
      case 'abandon':
        terminal.print(lineOf(await parts.abandon(choice.txId)))
        return 0
      case 'retry':
        return retried(await parts.retry(choice.which), terminal)
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`postern: ${error.message}\n`)
    return 1
  }
}

function retried(after: readonly Transfer[], terminal: Terminal): number {
  terminal.print(linesOf(after, 'no transfer needs an operator'))
  const stuck = after.filter(({ status }) => status === 'needs_operator')
  if (stuck.length === 0) return 0
  const accounts = [...new Set(stuck.map(inTrouble))].join(', ')
  const errors = [...new Set(stuck.map(({ lastError }) => lastError))].join(', ')
  terminal.complain(
    `postern: tried again, and ${stuck.length} of ${after.length} still failed (${errors}); nothing was lost. See that the ` +
      `server of ${accounts} can be reached and takes mail, then retry; "postern transfers abandon TX_ID" gives one up\n`,
  )
  return 1
}

/** The account whose server was to do something. */
function inTrouble({ content, targetUid, source, destination }: Transfer): string {
  return content === undefined || targetUid !== undefined ? source.account : destination.account
}

function linesOf(transfers: readonly Transfer[], none: string): string {
  return transfers.length === 0 ? `${none}\n` : transfers.map(lineOf).join('')
}

function lineOf(transfer: Transfer): string {
  const { txId, status, operation, source, destination, callerId, createdAt, retryCount, lastError } = transfer
  const from = `${source.account} ${JSON.stringify(source.mailbox)} uid ${source.uid}`
  const to = `${destination.account} ${JSON.stringify(destination.mailbox)}`
  const trouble = lastError === undefined ? '' : `, tried again ${retryCount} times, last error: ${lastError}`
  return `${txId}  ${status}  ${operation} ${from} to ${to}, by ${callerId}, ${new Date(createdAt).toISOString()}${trouble}\n`
}
