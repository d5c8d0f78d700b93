/**
 * Finds messages of one folder and judges each: from the mirror where it can answer, else from the server.
 *
 * INVARIANT: the answer is the same either way, but for what its coverage says.
 */
import type { Coverage } from '../../core/mirror/state.ts'
import type { Level } from '../../core/policy/level.ts'
import type { Match } from '../../core/policy/predicates.ts'
import { needsOfQuery } from '../../core/query/evaluate.ts'
import type { Query } from '../../core/query/query.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import type { Account } from '../accounts/accounts.ts'
import type { SearchDesk } from './desk.ts'
import { searchLive } from './live-search.ts'
import { searchMirror } from './mirror-search.ts'

export interface FolderQuestion {
  readonly mailbox: string
  /** Settled for this folder. */
  readonly query: Query
  /** As rules ask; must hold as well. */
  readonly match: Match
  readonly offset: number
  readonly take: number
}

export interface FolderAnswer {
  readonly uidvalidity: number
  /** All that match, seen or not. */
  readonly matched: number
  readonly visible: number
  /** Newest first. */
  readonly rows: readonly Judged[]
  readonly more: boolean
  readonly coverage: Coverage
}

export interface Judged {
  readonly uid: number
  readonly level: Level
}

export async function searchFolder(
  account: Account,
  question: FolderQuestion,
  desk: SearchDesk,
): Promise<FolderAnswer> {
  const { mirror } = account
  const folder = (await mirror?.fresh([question.mailbox], desk.signal))?.get(question.mailbox)
  const kept =
    folder === undefined || mirror === undefined || !holds(folder, question)
      ? undefined
      : await searchMirror(account, mirror.store, folder, question, desk)
  return kept ?? searchLive(account, question, desk)
}

/** A mirror of headers knows no words of bodies; of an empty folder everything is known. */
function holds({ depth, kept }: MirroredFolder, { query }: FolderQuestion): boolean {
  return depth === 'full' || kept === 0 || !needsOfQuery(query).text
}
