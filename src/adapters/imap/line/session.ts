/**
 * A logged-in connection and the mailbox that is open on it.
 *
 * INVARIANT: `selected` is what the server has selected, or undefined where that is not certain. Reading opens a
 * mailbox with EXAMINE and leaves one that is open as it is; nothing here ever expunges.
 */

import { mailboxMissing, protocolFailure, refused } from '../failures.ts'
import { keyword, latin1Text, type Piece } from '../wire/command.ts'
import { type StatusResponse, uidNumberOf } from '../wire/value.ts'
import type { Connection } from './connect.ts'
import type { Exchange, ExchangeLimits, Taker } from './dialogue.ts'

export interface Selected {
  /** The name as the server writes it. */
  readonly rawName: string
  readonly writable: boolean
  readonly uidvalidity: number
  /** Undefined where the server does not say. */
  readonly uidNext: number | undefined
  /** When that was asked for, on the clock of `performance.now`: what came with it may have taken long. */
  readonly openedAt: number
  /** Flags that last; undefined where the server does not say, which means all. */
  readonly permanentFlags: readonly string[] | undefined
}

export interface Opening {
  readonly command: 'EXAMINE' | 'SELECT'
  /** Where given, a mailbox that is open already and knows of all these uids is used as it is. */
  readonly reuse?: Reuse
  /** Commands that go before the one that opens. Not with `reuse`. */
  readonly before?: readonly (readonly Piece[])[]
  /** What stands behind the name. */
  readonly parameters?: Piece
}

/**
 * An open mailbox shows what the server last told this connection: messages and flags may have changed since, and even
 * a NOOP sent along does not help where the server puts off telling. Only what never changes may come from an old one.
 */
export interface Reuse {
  readonly uids: readonly number[]
  /** Only one that was opened then or later, on the clock of `performance.now`. */
  readonly notBefore: number
}

/** For bytes of a message, which never change. */
export const ANY_AGE = Number.NEGATIVE_INFINITY
/** For what may have changed a moment ago: the mailbox is opened anew. */
export const NOW = Number.POSITIVE_INFINITY
/** For what follows a search at once. */
export const JUST_OPENED_MS = 2000

/** So long after its last answer a connection is taken to be alive. */
const TRUSTED_MS = 2000

export interface InMailbox {
  readonly selected: Selected
  /** The answers to the commands given, without the one to the opening. */
  readonly exchange: Exchange
  /** The answers to what went before the opening. */
  readonly before: readonly StatusResponse[]
}

export class Session {
  readonly #connection: Connection
  selected: Selected | undefined
  /** The mailbox that the server may still have open, also where what is known of it is out of date. */
  lastOpened: string | undefined
  /** Undefined until the server was asked for QRESYNC. */
  qresync: boolean | undefined
  /** Undefined until the server was asked to name uids by ranges. */
  ranges: boolean | undefined
  #answeredAt = performance.now()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get capabilities(): ReadonlySet<string> {
    return this.#connection.capabilities
  }

  get dead(): boolean {
    return this.#connection.dialogue.dead
  }

  get dialogue(): Connection['dialogue'] {
    return this.#connection.dialogue
  }

  async run(
    commands: readonly (readonly Piece[])[],
    signal: AbortSignal,
    limits?: ExchangeLimits,
    taker?: Taker,
  ): Promise<Exchange> {
    const exchange = await this.#connection.dialogue.exchange(commands, signal, limits, taker)
    this.#answeredAt = performance.now()
    return exchange
  }

  /** A kept connection may be dead without anybody knowing: one that did not answer just now is asked first. */
  async mustAnswer(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#answeredAt > TRUSTED_MS) await this.run([[keyword('NOOP')]], signal)
  }

  /** Runs commands in a mailbox, in one round trip with opening it. */
  async runIn(
    rawName: string,
    opening: Opening,
    commands: readonly (readonly Piece[])[],
    signal: AbortSignal,
    limits?: ExchangeLimits,
    taker?: Taker,
  ): Promise<InMailbox> {
    const open = this.#stillOpen(rawName, opening)
    if (open !== undefined) {
      return { selected: open, exchange: await this.run(commands, signal, limits, taker), before: [] }
    }
    this.selected = undefined
    this.lastOpened = rawName
    const { before = [], parameters } = opening
    const first = [keyword(opening.command), latin1Text(rawName), ...(parameters === undefined ? [] : [parameters])]
    const openedAt = performance.now()
    const { answers, data, remarks } = await this.run([...before, first, ...commands], signal, limits, taker)
    const selected = { ...opened(rawName, opening, answers[before.length], remarks), openedAt }
    this.selected = selected
    const exchange = { answers: answers.slice(before.length + 1), data, remarks }
    return { selected, exchange, before: answers.slice(0, before.length) }
  }

  #stillOpen(rawName: string, { reuse }: Opening): Selected | undefined {
    const { selected } = this
    if (selected?.rawName !== rawName || selected.uidNext === undefined || reuse === undefined) return undefined
    const { uidNext, openedAt } = selected
    return openedAt >= reuse.notBefore && reuse.uids.every((uid) => uid < uidNext) ? selected : undefined
  }
}

function opened(
  rawName: string,
  opening: Opening,
  answer: StatusResponse | undefined,
  remarks: readonly StatusResponse[],
): Omit<Selected, 'openedAt'> {
  if (answer?.status === 'NO') throw mailboxRefused(answer)
  if (answer?.status !== 'OK') throw answer === undefined ? protocolFailure('no answer') : refused('select', answer)
  const uidvalidity = numberIn(remarks, 'UIDVALIDITY')
  if (uidvalidity === undefined) throw protocolFailure('a mailbox without a uidvalidity')
  return {
    rawName,
    writable: opening.command === 'SELECT' && answer.code?.name !== 'READ-ONLY',
    uidvalidity,
    uidNext: numberIn(remarks, 'UIDNEXT'),
    permanentFlags: permanentFlags(remarks),
  }
}

/** EXAMINE says NO to a mailbox that is not there, with or without a code; other codes mean something else. */
function mailboxRefused(answer: StatusResponse): Error {
  const failure = refused('select', answer)
  const other = answer.code !== undefined && !['ALERT', 'CANNOT', 'CLIENTBUG'].includes(answer.code.name)
  return other ? failure : mailboxMissing('select', failure.cause)
}

function numberIn(remarks: readonly StatusResponse[], name: string): number | undefined {
  return uidNumberOf(remarks.findLast(({ code }) => code?.name === name)?.code?.rest)
}

function permanentFlags(remarks: readonly StatusResponse[]): readonly string[] | undefined {
  const rest = remarks.findLast(({ code }) => code?.name === 'PERMANENTFLAGS')?.code?.rest
  return rest
    ?.replace(/[()]/g, ' ')
    .split(' ')
    .filter((flag) => flag !== '')
}
