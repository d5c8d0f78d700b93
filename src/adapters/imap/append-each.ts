/**
 * Appends many messages, one behind the other without waiting for the answers.
 *
 * INVARIANT: every message has an ending. Only a tagged OK makes it `done`, only a tagged NO or BAD, or that not one
 * byte of it has left, makes it `refused`; all else is `unknown`. Nothing is ever sent twice.
 */
import { Failure } from '../../core/failure.ts'
import type { Appended, NewMessage } from '../../ports/mail-source.ts'
import { appendCommand, appendUid, changeRefused } from './changes.ts'
import { Interrupted, outcomeUnknown, type Progress } from './failures.ts'
import type { ExchangeLimits } from './line/dialogue.ts'
import { writing } from './line/lending.ts'
import type { Pool } from './line/pool.ts'
import type { Session } from './line/session.ts'
import type { Piece } from './wire/command.ts'
import type { StatusResponse } from './wire/value.ts'

const STAGE = 'append'

/** A command, or why there can be none for that message. */
export type AppendOrder =
  | { readonly kind: 'command'; readonly command: readonly Piece[] }
  | { readonly kind: 'refused'; readonly failure: Failure }

export function appendOrders(rawTarget: string, messages: readonly NewMessage[]): readonly AppendOrder[] {
  return messages.map((message) => {
    try {
      return { kind: 'command', command: appendCommand(rawTarget, message) }
    } catch (error) {
      if (error instanceof Failure) return { kind: 'refused', failure: error }
      throw error
    }
  })
}

export async function appendEach(
  pool: Pool<Session>,
  orders: readonly AppendOrder[],
  signal: AbortSignal,
  limits?: ExchangeLimits,
): Promise<readonly Appended[]> {
  const commands = orders.flatMap((order) => (order.kind === 'command' ? [order.command] : []))
  const endings = commands.length === 0 ? [] : await sendAll(pool, commands, signal, limits)
  let next = 0
  return orders.map((order) => (order.kind === 'refused' ? order : (endings[next++] ?? missing())))
}

function sendAll(
  pool: Pool<Session>,
  commands: readonly (readonly Piece[])[],
  signal: AbortSignal,
  limits: ExchangeLimits | undefined,
): Promise<readonly Appended[]> {
  const prepare = (session: Session): Promise<void> => session.mustAnswer(signal)
  return writing(pool, undefined, signal, STAGE, prepare, async (session) => {
    try {
      return (await session.run(commands, signal, limits)).answers.map(answered)
    } catch (error) {
      if (!(error instanceof Interrupted) || !error.progress.some(({ begun }) => begun)) throw error
      return error.progress.map((progress) => interrupted(progress, error.failure))
    }
  })
}

function answered(answer: StatusResponse): Appended {
  if (answer.status === 'OK') return { kind: 'done', placed: appendUid([answer]) }
  return { kind: 'refused', failure: changeRefused(STAGE, answer) }
}

function interrupted({ answer, begun }: Progress, why: Failure): Appended {
  if (answer !== undefined) return answered(answer)
  if (begun) return { kind: 'unknown', failure: outcomeUnknown(STAGE, why) }
  const message = 'the connection to the mail server was lost before the message was sent'
  return { kind: 'refused', failure: new Failure('unavailable', message, { cause: why, stage: 'connection' }) }
}

function missing(): never {
  throw new Error('an append without an ending')
}
