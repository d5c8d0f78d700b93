/**
 * Speaks IMAP on a socket that somebody else has opened, secured and logged in.
 *
 * INVARIANT: one exchange at a time, its commands pipelined; every exchange ends, with all its tagged answers or with
 * `Interrupted`. After that, or after any other trouble, the dialogue is dead for good and says so in `dead`.
 */
import type { Socket } from 'node:net'
import { Failure } from '../../../core/failure.ts'
import {
  abortFailure,
  connectionLost,
  Interrupted,
  type InterruptedState,
  Overlong,
  protocolFailure,
  silence,
} from '../failures.ts'
import type { Piece } from '../wire/command.ts'
import type { LiteralManner } from '../wire/encode.ts'
import { type Frame, FrameReader, type Limits } from '../wire/frames.ts'
import { readResponse } from '../wire/response.ts'
import {
  countValues,
  type DataResponse,
  type NumbersResponse,
  type Response,
  type StatusResponse,
} from '../wire/value.ts'
import { IdleOutbox } from './idle-outbox.ts'
import { Outbox, type Sending } from './outbox.ts'

export interface Exchange {
  /** The tagged answers, in the order of the commands. */
  readonly answers: readonly StatusResponse[]
  /** What came untagged meanwhile, whichever command caused it. */
  readonly data: readonly (DataResponse | NumbersResponse)[]
  /** Untagged OK, NO and BAD. */
  readonly remarks: readonly StatusResponse[]
}

export interface ExchangeLimits extends Limits {
  /** The most bytes that all answers together may have. */
  readonly exchange: number
  /** The longest time until the next command is answered, whatever else the server says meanwhile. */
  readonly answerMs?: number
}

/** Sees every answer as it comes. What it takes (true) is not held for the end. */
export interface Taker {
  (response: DataResponse): boolean
  /** Where there is one, it sees them first. What it takes (true) is not even read. */
  readonly unread?: (frame: Frame) => boolean
}

export interface DialogueOptions {
  readonly literals: LiteralManner
  /** How long the server may be silent while an answer is due. */
  readonly silenceMs: number
  /** A command that leaves along with the first ones. What is answered to it matters to nobody. */
  readonly introduction?: readonly Piece[]
}

/** What answers may hold where a command does not ask for more. */
export const PLAIN_LIMITS: ExchangeLimits = { literal: 65_536, response: 16_000_000, exchange: 64_000_000 }
/** Short answers and short values take far more memory than bytes on the wire: so many of them are held, no more. */
const MOST_HELD = 500_000
const NUMBERS_PER_VALUE = 8
const FAR_TOO_MUCH = 'far more than what was asked for'
const KEPT = new Set(['FETCH', 'LIST', 'STATUS', 'VANISHED', 'ENABLED', 'ESEARCH'])
const GOODBYE_MS = 1000
const INTRODUCTION = 'p0'

interface Running {
  readonly tags: ReadonlySet<string>
  readonly answers: Map<string, StatusResponse>
  readonly data: (DataResponse | NumbersResponse)[]
  readonly remarks: StatusResponse[]
  readonly outbox: Sending
  readonly limits: ExchangeLimits
  readonly taker: Taker | undefined
  received: number
  /** How many answers and values of theirs are kept. */
  held: number
  resolve(exchange: Exchange): void
  reject(reason: Interrupted): void
}

export class Dialogue {
  readonly #socket: Socket
  readonly #options: DialogueOptions
  readonly #frames: FrameReader
  #running: Running | undefined
  #ended: Failure | undefined
  #lastTag = 0
  #introduction: 'unsaid' | 'unanswered' | 'over'
  #late: NodeJS.Timeout | undefined
  /** Called once, when the dialogue is dead. */
  onEnd: () => void = () => undefined

  constructor(socket: Socket, options: DialogueOptions) {
    this.#socket = socket
    this.#options = options
    this.#introduction = options.introduction === undefined ? 'over' : 'unsaid'
    this.#frames = new FrameReader(() => this.#running?.limits ?? PLAIN_LIMITS)
    socket.setTimeout(0)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on('error', (error) => this.#end(connectionLost(error)))
    socket.on('close', () => this.#end(connectionLost()))
    socket.on('end', () => this.#end(connectionLost()))
    socket.on('timeout', () => this.#end(silence(options.silenceMs)))
    socket.on('drain', () => this.#goOn())
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    if (socket.destroyed || socket.readableEnded) this.#end(connectionLost())
    socket.resume()
  }

  get dead(): boolean {
    return this.#ended !== undefined
  }

  /** Sends the commands at once and collects what comes back. When the signal aborts, the connection is given up. */
  async exchange(
    commands: readonly (readonly Piece[])[],
    signal: AbortSignal,
    limits = PLAIN_LIMITS,
    taker?: Taker,
  ): Promise<Exchange> {
    const tagged = commands.map((pieces) => ({ tag: this.#nextTag(), pieces }))
    const outbox = new Outbox(this.#socket, tagged, this.#options.literals)
    if (commands.length === 0) return { answers: [], data: [], remarks: [] }
    return this.#run(new Set(tagged.map(({ tag }) => tag)), outbox, limits, taker, signal)
  }

  /** Listens to what happens in the open mailbox until `until` aborts. Meanwhile the server may be silent. */
  async idle(until: AbortSignal, taker: Taker, signal: AbortSignal): Promise<Exchange> {
    const tag = this.#nextTag()
    const outbox = new IdleOutbox(this.#socket, tag, until, this.#options.silenceMs)
    return this.#run(new Set([tag]), outbox, PLAIN_LIMITS, taker, signal)
  }

  async #run(
    tags: ReadonlySet<string>,
    outbox: Sending,
    limits: ExchangeLimits,
    taker: Taker | undefined,
    signal: AbortSignal,
  ): Promise<Exchange> {
    if (this.#running !== undefined) throw new Error('an exchange is under way on this connection')
    if (this.#ended !== undefined) throw new Interrupted(this.#ended)
    if (signal.aborted) throw new Interrupted(abortFailure(signal))
    const onAbort = (): void => this.#end(abortFailure(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await new Promise<Exchange>((resolve, reject) => {
        const none = { answers: new Map(), data: [], remarks: [], received: 0, held: 0 }
        this.#running = { tags, outbox, limits, taker, ...none, resolve, reject }
        this.#socket.setTimeout(this.#options.silenceMs)
        this.#awaitAnswer(limits)
        this.#socket.cork()
        this.#introduce()
        this.#running.outbox.send()
        this.#socket.uncork()
      })
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #awaitAnswer({ answerMs }: ExchangeLimits): void {
    clearTimeout(this.#late)
    if (answerMs !== undefined) this.#late = setTimeout(() => this.#end(silence(answerMs)), answerMs)
  }

  #introduce(): void {
    if (this.#introduction !== 'unsaid') return
    this.#introduction = 'unanswered'
    const command = { tag: INTRODUCTION, pieces: this.#options.introduction ?? [] }
    new Outbox(this.#socket, [command], this.#options.literals).send()
  }

  /** Says goodbye and closes a connection on which nothing is under way. */
  close(): void {
    if (this.#ended !== undefined) return
    if (this.#running !== undefined) throw new Error('an exchange is under way on this connection')
    this.#ended = connectionLost()
    this.#socket.end('z LOGOUT\r\n')
    setTimeout(() => this.#socket.destroy(), GOODBYE_MS).unref()
    this.onEnd()
  }

  /** Ends whatever is under way, now. */
  abandon(failure: Failure): void {
    this.#end(failure)
  }

  #nextTag(): string {
    this.#lastTag += 1
    return `p${this.#lastTag}`
  }

  #receive(chunk: Uint8Array): void {
    if (this.#ended !== undefined) return
    try {
      if (this.#running !== undefined) count(this.#running, chunk.length)
      this.#frames.push(chunk, (frame) => {
        if (this.#running?.taker?.unread?.(frame) !== true) this.#handle(readResponse(frame))
      })
    } catch (error) {
      this.#end(error instanceof Failure ? error : protocolFailure('an answer that cannot be read', error))
    }
  }

  #handle(response: Response): void {
    if (this.#ended !== undefined) return
    const running = this.#running
    if (response.kind === 'continue') invited(running)
    else if (response.kind !== 'status') keep(running, response)
    else if (response.status === 'BYE') this.#end(connectionLost(new Error(response.text)))
    else if (response.tag === '*') remark(running, response)
    else this.#finish(running, response)
  }

  #finish(running: Running | undefined, response: StatusResponse): void {
    const { tag } = response
    if (tag === INTRODUCTION && this.#introduction === 'unanswered') {
      this.#introduction = 'over'
      return
    }
    if (running === undefined || !running.tags.has(tag) || running.answers.has(tag)) {
      throw protocolFailure('an answer to a command that was not sent')
    }
    // A command may be refused before it has come completely, but not carried out.
    if (response.status === 'OK' ? !running.outbox.left(tag) : !running.outbox.begun(tag)) {
      throw protocolFailure('an answer to a command that it had not heard yet')
    }
    running.answers.set(tag, response)
    this.#awaitAnswer(running.limits)
    running.outbox.refused(tag)
    this.#settle(running)
  }

  #goOn(): void {
    if (this.#running === undefined) return
    this.#running.outbox.send()
    this.#settle(this.#running)
  }

  /** A server that refuses a message early still waits for the rest of it: until that has left, nothing else may. */
  #settle(running: Running): void {
    if (running.answers.size < running.tags.size || !running.outbox.empty) return
    this.#running = undefined
    clearTimeout(this.#late)
    this.#socket.setTimeout(0)
    const { data, remarks } = running
    running.resolve({ answers: [...running.tags].flatMap((sent) => running.answers.get(sent) ?? []), data, remarks })
  }

  #end(failure: Failure): void {
    if (this.#ended !== undefined) return
    this.#ended = failure
    const running = this.#running
    this.#running = undefined
    clearTimeout(this.#late)
    this.#socket.destroy()
    running?.reject(new Interrupted(failure, stateOf(running)))
    this.onEnd()
  }
}

function stateOf({ tags, answers, outbox, received }: Running): InterruptedState {
  const all = [...tags]
  return {
    heard: received > 0,
    sent: all.some((tag) => outbox.left(tag)),
    progress: all.map((tag) => ({ begun: outbox.begun(tag), answer: answers.get(tag) })),
  }
}

function invited(running: Running | undefined): void {
  if (running?.outbox.invited() !== true) throw protocolFailure('an invitation that nobody asked for')
}

/** News of the mailbox (EXISTS, EXPUNGE, FLAGS …) come unasked and are not kept. */
function keep(running: Running | undefined, response: DataResponse | NumbersResponse): void {
  if (running === undefined || (response.kind === 'data' && running.taker?.(response) === true)) return
  if (response.kind === 'data' && !KEPT.has(response.name)) return
  hold(running, response.kind === 'data' ? countValues(response.values) : response.numbers.length / NUMBERS_PER_VALUE)
  running.data.push(response)
}

function remark(running: Running | undefined, response: StatusResponse): void {
  if (running === undefined) return
  hold(running, 0)
  running.remarks.push(response)
}

function hold(running: Running, values: number): void {
  running.held += 1 + values
  if (running.held > MOST_HELD) throw new Overlong(FAR_TOO_MUCH)
}

function count(running: Running, bytes: number): void {
  running.received += bytes
  if (running.received > running.limits.exchange) throw new Overlong(FAR_TOO_MUCH)
}
