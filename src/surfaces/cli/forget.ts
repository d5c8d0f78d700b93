/**
 * `postern forget ACCOUNT`: removes what is kept of an account on this machine.
 *
 * INVARIANT: nothing is removed that nobody agreed to, nor while a process is syncing it; the mail at the server stays.
 */
import { Failure } from '../../core/failure.ts'
import type { Forgotten } from '../../engine/sync/forget-account.ts'
import { type ConsentParts, isAgreed } from './consent.ts'
import { countText } from './import-progress.ts'

export interface ForgetChoice {
  readonly account: string
  /** Nobody is asked. */
  readonly yes: boolean
  readonly config?: string
}

export interface ForgetDesk {
  /** Those that are configured. */
  known(): readonly string[]
  /** Whether there is anything to remove; of an account that is configured no more there may be. */
  isKept(account: string): Promise<boolean>
  /** Undefined where nothing is kept of it. `Failure('conflict')` while a process is syncing it. */
  forget(account: string): Promise<Forgotten | undefined>
}

export interface ForgetParts extends ConsentParts {
  readonly desk: ForgetDesk
}

export async function forgetCommand({ account, yes }: ForgetChoice, parts: ForgetParts): Promise<number> {
  const { desk, terminal } = parts
  try {
    if (!yes) await requireKnown(account, desk)
    if (!yes && !(await isAgreed(questionOn(account), 'nothing was removed', parts))) {
      terminal.print('nothing was removed\n')
      return 1
    }
    const forgotten = await desk.forget(account)
    terminal.print(`${told(account, forgotten)}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`postern: ${error.message}\n`)
    return 1
  }
}

/** A slip is told before anybody is asked, or told that nobody can be. */
async function requireKnown(account: string, desk: ForgetDesk): Promise<void> {
  const known = desk.known()
  if (known.includes(account) || (await desk.isKept(account))) return
  const cure = known.length === 0 ? 'none is configured' : `there are: ${known.join(', ')}`
  throw new Failure('not_found', `there is no account ${JSON.stringify(account)}, and nothing is kept of it; ${cure}`)
}

function questionOn(account: string): string {
  return `Remove all that is kept of account ${account} on this machine? The mail itself stays.`
}

function told(account: string, forgotten: Forgotten | undefined): string {
  if (forgotten === undefined) return `nothing is kept of account ${account}`
  const { letters = 0 } = forgotten
  const sent = letters === 0 ? '' : `, and ${countText(letters)} ${letters === 1 ? 'letter' : 'letters'} of the outbox`
  return `Removed all that was kept of account ${account}${mailOf(forgotten)}${sent}.`
}

function mailOf({ messages, folders }: Forgotten): string {
  if (messages === undefined || folders === undefined) return ''
  const [what, where] = [messages === 1 ? 'message' : 'messages', folders === 1 ? 'folder' : 'folders']
  return `: ${countText(messages)} ${what} in ${countText(folders)} ${where}`
}
