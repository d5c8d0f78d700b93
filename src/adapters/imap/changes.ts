/**
 * Changes mail.
 *
 * INVARIANT: before a change is sent, the mailbox is open for writing, under the uidvalidity that was given, and the
 * message is in it. Nothing is ever expunged but by its uid.
 */
import { messageMissing } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'
import type { NewMessage, Placed } from '../../ports/mail-source.ts'
import { refused, staleUidvalidity } from './failures.ts'
import { fetched, mustBeDone } from './fetch.ts'
import type { Exchange, ExchangeLimits } from './line/dialogue.ts'
import type { InMailbox, Selected, Session } from './line/session.ts'
import type { RawMailboxAt } from './place.ts'
import { dateTime, flag, keyword, keywords, latin1Text, message, type Piece, uidSet } from './wire/command.ts'
import { type StatusResponse, uidNumberOf } from './wire/value.ts'

/** Opens the mailbox for writing. */
export async function openForChange(
  session: Session,
  at: RawMailboxAt,
  commands: readonly (readonly Piece[])[],
  signal: AbortSignal,
): Promise<InMailbox> {
  const opened = await session.runIn(at.rawName, { command: 'SELECT' }, commands, signal)
  const { uidvalidity } = opened.selected
  if (uidvalidity !== at.uidvalidity) throw staleUidvalidity(at.uidvalidity, uidvalidity)
  return opened
}

export function mustBeWritable({ writable }: Selected): void {
  if (!writable) throw new Failure('rejected', 'the mailbox is read-only', { stage: 'select' })
}

/** Opens the mailbox for writing and makes sure that the message is there: one round trip. */
export async function prepareChange(
  session: Session,
  at: RawMailboxAt,
  uid: number,
  signal: AbortSignal,
): Promise<void> {
  const look = [...keywords('UID', 'FETCH'), uidSet(`${uid}`), keywords('UID')]
  const { selected, exchange } = await openForChange(session, at, [look], signal)
  mustBeDone('select', exchange.answers)
  if (!fetched(exchange).has(uid)) throw messageMissing(uid, 'select')
  mustBeWritable(selected)
}

export function flagPieces(flags: readonly string[]): Piece[] {
  return flags.map(flag)
}

/** A flag that the mailbox does not keep would seem to be set, for this connection only. */
export function mustBeKept(session: Session, flags: readonly string[]): void {
  const kept = session.selected?.permanentFlags
  if (kept === undefined || kept.includes('\\*')) return
  const known = new Set(kept.map((name) => name.toLowerCase()))
  if (flags.every((name) => known.has(name.toLowerCase()))) return
  throw new Failure('unsupported', 'the mailbox does not keep one of these flags', { stage: 'store' })
}

export async function storeFlags(
  session: Session,
  uid: number,
  change: 'add' | 'remove',
  flags: readonly Piece[],
  signal: AbortSignal,
): Promise<void> {
  const how = change === 'add' ? '+FLAGS.SILENT' : '-FLAGS.SILENT'
  await perform(session, 'store', [...keywords('UID', 'STORE'), uidSet(`${uid}`), keyword(how), flags], signal)
}

export async function relocate(
  session: Session,
  how: 'COPY' | 'MOVE',
  uid: number,
  rawTarget: string,
  signal: AbortSignal,
): Promise<Placed | undefined> {
  const command = [...keywords('UID', how), uidSet(`${uid}`), latin1Text(rawTarget)]
  const { answers, remarks } = await perform(session, how.toLowerCase(), command, signal)
  return copyUid([...remarks, ...answers], uid)
}

export async function expunge(session: Session, uid: number, signal: AbortSignal): Promise<void> {
  await perform(session, 'expunge', [...keywords('UID', 'EXPUNGE'), uidSet(`${uid}`)], signal)
}

/** The command, checked before anything is sent. */
export function appendCommand(rawTarget: string, { bytes, flags, received }: NewMessage): Piece[] {
  return [
    keyword('APPEND'),
    latin1Text(rawTarget),
    flagPieces(flags),
    ...(received === undefined ? [] : [dateTime(received)]),
    message(bytes),
  ]
}

export async function append(
  session: Session,
  command: readonly Piece[],
  signal: AbortSignal,
  limits?: ExchangeLimits,
): Promise<Placed | undefined> {
  const { answers } = await perform(session, 'append', command, signal, limits)
  return appendUid(answers)
}

/** `[APPENDUID 123 17]`: validity and uid there. */
export function appendUid(answers: readonly StatusResponse[]): Placed | undefined {
  const [uidvalidity, uid, ...more] = codeRest(answers, 'APPENDUID').split(' ')
  return more.length === 0 ? placed(uidvalidity, uid) : undefined
}

async function perform(
  session: Session,
  stage: string,
  command: readonly Piece[],
  signal: AbortSignal,
  limits?: ExchangeLimits,
): Promise<Exchange> {
  const exchange = await session.run([command], signal, limits)
  const [answer] = exchange.answers
  if (answer !== undefined && answer.status !== 'OK') throw changeRefused(stage, answer)
  return exchange
}

/** The mailbox that is open exists, so a missing one is the destination. */
export function changeRefused(stage: string, answer: StatusResponse): Failure {
  const failure = refused(stage, answer)
  if (failure.code !== 'not_found') return failure
  const { cause, responseCode } = failure
  return new Failure('not_found', 'the destination mailbox does not exist', { cause, stage, responseCode })
}

/** `[COPYUID 123 5 17]`: validity there, uid here, uid there. What speaks of other messages than ours is not believed. */
function copyUid(responses: readonly StatusResponse[], copied: number): Placed | undefined {
  const [uidvalidity, from, uid, ...more] = codeRest(responses, 'COPYUID').split(' ')
  return uidNumberOf(from) === copied && more.length === 0 ? placed(uidvalidity, uid) : undefined
}

function placed(validity: string | undefined, there: string | undefined): Placed | undefined {
  const [uidvalidity, uid] = [uidNumberOf(validity), uidNumberOf(there)]
  return uidvalidity === undefined || uid === undefined ? undefined : { uidvalidity, uid }
}

function codeRest(responses: readonly StatusResponse[], name: string): string {
  return responses.findLast(({ code }) => code?.name === name)?.code?.rest ?? ''
}
