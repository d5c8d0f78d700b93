/** `postern transfers`: shows moves between accounts, and has those tried again or given up that need a person. */
import { Failure } from '../../core/failure.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { TransfersChoice } from './choices.ts'
import type { Terminal } from './program.ts'

export interface TransfersParts {
  list(all: boolean): Promise<readonly Transfer[]>
  /** Resolves to the transfer as it is afterwards. */
  retry(txId: string): Promise<Transfer>
  abandon(txId: string): Promise<Transfer>
  readonly terminal: Terminal
}

export async function transfers(choice: TransfersChoice, parts: TransfersParts): Promise<number> {
  const { terminal } = parts
  try {
    if (choice.command === 'list') {
      const found = await parts.list(choice.all)
      terminal.print(found.length === 0 ? 'no transfers\n' : found.map(lineOf).join(''))
      return 0
    }
    const after = await parts[choice.command](choice.txId)
    terminal.print(lineOf(after))
    return after.status === 'needs_operator' ? 1 : 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`postern: ${error.message}\n`)
    return 1
  }
}

function lineOf(transfer: Transfer): string {
  const { txId, status, operation, source, destination, callerId, createdAt, retryCount, lastError } = transfer
  const from = `${source.account} ${JSON.stringify(source.mailbox)} uid ${source.uid}`
  const to = `${destination.account} ${JSON.stringify(destination.mailbox)}`
  const trouble = lastError === undefined ? '' : `, ${retryCount} failed: ${lastError}`
  return `${txId}  ${status}  ${operation} ${from} to ${to}, by ${callerId}, ${new Date(createdAt).toISOString()}${trouble}\n`
}
