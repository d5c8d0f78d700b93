/** What one caller would see of one message, and why: the verdict is the one that the caller gets. */
import { Failure } from '../../core/failure.ts'
import { nameOf } from '../../core/mailbox-path.ts'
import { ANY_UIDVALIDITY } from '../../core/message-id.ts'
import { decodeUnstructured, firstField, type HeaderField } from '../../core/mime/header.ts'
import { writeLineOut } from '../../core/outbox/written-out.ts'
import { type ExplainedRule, explain } from '../../core/policy/explain.ts'
import { factsOf } from '../../core/policy/facts.ts'
import type { FolderPolicy, VerdictReason } from '../../core/policy/folder.ts'
import type { Level } from '../../core/policy/level.ts'
import type { Account, Accounts } from '../accounts/accounts.ts'
import { judgedFolder } from '../accounts/google-folders.ts'
import type { KnownCaller } from './access.ts'

export interface MessageAsked {
  readonly caller: string
  readonly account: string
  /** With `/` between its levels. */
  readonly mailbox: string
  readonly uid: number
}

export interface Simulation {
  readonly level: Level
  readonly reason: VerdictReason | 'folder_not_named'
  readonly steps: readonly ExplainedRule[]
  readonly path: string
  readonly mode: FolderPolicy['mode']
  readonly default: Level
  readonly subject: string
  readonly from: string
}

const ALL_FACTS = new Set(['senders', 'recipients', 'subject', 'authentication', 'structure'] as const)

export async function simulate(
  asked: MessageAsked,
  callers: readonly KnownCaller[],
  accounts: Accounts,
  nowSeconds: number,
  signal: AbortSignal,
): Promise<Simulation> {
  const caller = callers.find(({ id }) => id === asked.caller)
  if (caller === undefined) throw absent('caller')
  return accounts.reading(async (book) => {
    const account = book.find(asked.account)
    if (account === undefined) throw absent('account')
    const { path: mailbox, folder } = await judgedFolder(account, asked.mailbox, caller.policy, signal)
    const opened = await openedAt(account, { ...asked, mailbox }, signal)
    const { path, mode, default: base } = folder
    const { verdict, rules } = explain(folder.definition, factsOf(opened, ALL_FACTS, account.authservId), nowSeconds)
    return {
      level: verdict.level,
      reason: folder.named ? verdict.reason : 'folder_not_named',
      steps: folder.named ? rules : [],
      path: folder.named ? path : asked.mailbox,
      mode,
      default: base,
      ...shownOf(opened.header),
    }
  })
}

/** Who wrote it and what about, each on one line. */
export function shownOf(header: readonly HeaderField[]): { readonly subject: string; readonly from: string } {
  const field = (name: string): string =>
    writeLineOut(decodeUnstructured(firstField(header, name) ?? '')).slice(0, MOST)
  return { subject: field('subject'), from: field('from') }
}

const MOST = 300

async function openedAt(
  { source }: Account,
  { mailbox, uid }: MessageAsked,
  signal: AbortSignal,
): ReturnType<Account['source']['open']> {
  const name = nameOf(mailbox, await source.delimiter(signal))
  if (name === undefined) throw new Failure('not_found', 'the account has no such folder', { stage: 'console' })
  return source.open({ mailbox: name, uidvalidity: ANY_UIDVALIDITY }, uid, signal)
}

function absent(what: string): Failure {
  return new Failure('not_found', `there is no such ${what} in the configuration`, { stage: 'console' })
}
