/** `postern transfers`: shows moves between accounts, and has those tried again or given up that need a person. */
import { Failure } from '../../core/failure.ts'
import type { Transfer, UnprovenCopy } from '../../core/transfer/transfer.ts'
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
  const errors = [...new Set(stuck.map(errorOf))].join(', ')
  const advice = [...new Set(stuck.map(adviceOn))]
  terminal.complain(
    `postern: tried again, and ${stuck.length} of ${after.length} still failed (${errors}); nothing was lost\n` +
      advice.map((line) => `  ${line}\n`).join(''),
  )
  return 1
}

const GIVE_UP = '"postern transfers abandon TX_ID" gives one up'

/** What to do about one that needs an operator, by why it does. */
function adviceOn(transfer: Transfer): string {
  const { lastError, unproven, source, destination } = transfer
  if (lastError === 'target_append_failed' && unproven !== undefined) return compareBoth(transfer, unproven)
  switch (lastError) {
    case 'target_append_failed':
      return `The server of ${destination.account} does not take the message: see that its mailbox has room and allows messages of this size, then retry; ${GIVE_UP}`
    case 'target_folder_missing':
      return `Create folder ${JSON.stringify(destination.mailbox)} in ${destination.account}, then retry; ${GIVE_UP}`
    case 'auth_failed':
      return `Renew the login of ${inTrouble(transfer)} ("postern doctor" shows how), then retry; ${GIVE_UP}`
    case 'fetch_failed':
      return `See that the server of ${source.account} can be reached and the message is still in ${JSON.stringify(source.mailbox)}, then retry; ${GIVE_UP}`
    case 'source_delete_failed':
      return `The copy arrived in ${destination.account}. See that the server of ${source.account} can be reached and lets messages be deleted, then retry; or delete the original yourself and use "postern transfers abandon TX_ID"`
    default:
      return `See that the server of ${inTrouble(transfer)} can be reached and takes mail, then retry; ${GIVE_UP}`
  }
}

/** Trying again does not help: what the destination stores differs from what it was sent. */
function compareBoth({ operation, destination }: Transfer, { kind, placed }: UnprovenCopy): string {
  const where = `${JSON.stringify(destination.mailbox)} of ${destination.account}`
  const which = placed === undefined ? where : `uid ${placed.uid} in ${where}`
  const keep = operation === 'move' ? 'delete the original yourself' : 'keep both'
  return kind === 'acknowledged'
    ? `The server of ${destination.account} took the message but stores something else (${which}), so it is not sent again. Compare the two. If the copy is good, ${keep}; if not, delete the copy. Then use "postern transfers abandon TX_ID"`
    : `No answer came when the message was sent, and one that may be its copy is there (${which}). Compare the two. If it is the copy, ${keep}. Then use "postern transfers abandon TX_ID"; if it is another message, ask for the ${operation} again afterwards`
}

function errorOf({ lastError, responseCode }: Transfer): string {
  return responseCode === undefined ? `${lastError}` : `${lastError} [${responseCode}]`
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
  const trouble = lastError === undefined ? '' : `, tried again ${retryCount} times, last error: ${errorOf(transfer)}`
  return `${txId}  ${status}  ${operation} ${from} to ${to}, by ${callerId}, ${new Date(createdAt).toISOString()}${trouble}\n`
}
