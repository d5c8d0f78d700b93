/** What an action works with: the accounts, the tools of the trade, and the moment at which it must stop. */
import type { ActionKind, ActionOf, ResultOf } from '../../core/action.ts'
import type { Ask } from '../../core/call/question.ts'
import type { Opened } from '../../core/message.ts'
import type { MessageRef } from '../../core/message-id.ts'
import type { Level } from '../../core/policy/level.ts'
import type { SendRules } from '../../core/policy/sending.ts'
import type { AttachmentFiles } from '../../ports/attachment-files.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ContentReader } from '../../ports/content-reader.ts'
import type { Log } from '../../ports/log.ts'
import type { Seal } from '../../ports/seal.ts'
import type { AccountBook } from '../accounts/accounts.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Reading } from '../outbox/reading.ts'
import type { Sight } from '../sight/sight.ts'
import type { Transfers } from '../transfer/transfers.ts'

export interface Workshop {
  readonly accounts: AccountBook
  readonly content: ContentReader
  readonly files: AttachmentFiles
  readonly seal: Seal
  readonly clock: Clock
  readonly log: Log
  readonly callerId: string
  /** What the caller may know of. */
  readonly sight: Sight
  /** A message's header and structure, fetched once for a call however often it is asked for. */
  opened(message: MessageRef): Promise<Opened>
  /** Between accounts. */
  readonly transfers: Pick<Transfers, 'carry' | 'find'>
  /** What the caller may send. */
  readonly sendRules: SendRules
  /** Where letters leave, if they may. */
  readonly outbox: Pick<Outbox, 'send' | 'heldBack' | 'noteLeaving'>
  /** Whose mail this call shows. */
  readonly reading: Reading
  /** Asks whoever sits at the agent's program, where that can be. */
  readonly ask?: Ask | undefined
  readonly signal: AbortSignal
}

/** `level` is the most that the result may show: what lies above need not be fetched. */
export type Perform<K extends ActionKind> = (
  action: ActionOf<K>,
  workshop: Workshop,
  level: Level,
) => Promise<ResultOf<K>>
