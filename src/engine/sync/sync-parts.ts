/** What keeping a mirror of an account takes. */
import type { MirrorDepth } from '../../core/mirror/state.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ContentReader } from '../../ports/content-reader.ts'
import type { Log } from '../../ports/log.ts'
import type { MailFeed } from '../../ports/mail-feed.ts'
import type { MirrorStore } from '../../ports/mirror-store.ts'
import type { Account } from '../accounts/accounts.ts'
import type { SyncBoard } from './board.ts'
import type { Pause } from './pause.ts'

export interface SyncParts {
  readonly account: Pick<Account, 'id' | 'source'>
  readonly feed: MailFeed
  readonly store: MirrorStore
  readonly content: Pick<ContentReader, 'texts' | 'document'>
  readonly depth: MirrorDepth
  readonly clock: Clock
  readonly log: Log
  /** The name under which the account's server reports who a sender is. */
  readonly authservId?: string | undefined
  /** Where it is told how far the sync has come that runs by itself. */
  readonly board?: Pick<SyncBoard, 'during'>
  /** For tests: waits without waiting, and the same every time. */
  readonly pause?: Pause
  readonly random?: () => number
}
