/**
 * One client at the other end of a pair of streams, as the SDK wants to see it.
 *
 * INVARIANT: only whole JSON-RPC messages are written, in the client's own framing. Nothing a client sends ends the
 * connection: what cannot be read is answered as an error and reading goes on. While the client does not take its
 * answers, or has too many requests open, no more of its requests are read.
 */
import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { Batch } from './batch.ts'
import { type Frame, FrameReader, frame, MAX_MESSAGE_BYTES } from './framing.ts'
import { errorText, INVALID_REQUEST, type RequestId, requestIdOf } from './json-rpc.ts'
import { parseFrame } from './parse-frame.ts'

const MAX_OPEN_REQUESTS = 1024

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** The client will send no more, or cannot be answered any more. */
  onend?: () => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #reader: FrameReader
  /** Requests read and not yet answered; in a batch where they came in one. */
  readonly #open = new Map<RequestId, Batch | undefined>()
  readonly #whenIdle: (() => void)[] = []
  #full = false
  #reading = true
  #closed = false

  constructor(input: Readable, output: Writable, maxBytes = MAX_MESSAGE_BYTES) {
    this.#input = input
    this.#output = output
    this.#reader = new FrameReader(maxBytes)
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData)
    this.#input.once('end', this.#onEnd)
    this.#input.once('close', this.#onEnd)
    this.#input.on('error', this.#onInputError)
    this.#output.on('error', this.#onOutputError)
    this.#output.on('drain', this.#onDrain)
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onEnd)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = 'method' in message ? undefined : message.id
    const batch = id === undefined ? undefined : this.#open.get(id)
    if (id !== undefined && batch !== undefined) batch.answer(id, message)
    else this.#write(JSON.stringify(message))
    if (id !== undefined) this.#settle(id)
  }

  /** Reads nothing more; what was read goes on and can still be answered. */
  stopReading(): void {
    this.#reading = false
    this.#input.off('data', this.#onData)
    this.#input.pause()
  }

  /** True once every request that was read is answered or cancelled, false if that takes longer. */
  answered(withinMs: number): Promise<boolean> {
    if (this.#open.size === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), withinMs)
      this.#whenIdle.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.stopReading()
    this.#input.off('end', this.#onEnd)
    this.#input.off('close', this.#onEnd)
    this.onclose?.()
  }

  /** Resolves when everything written has left this process, or cannot leave it any more. */
  flushed(): Promise<void> {
    if (this.#output.destroyed || this.#output.writableFinished) return Promise.resolve()
    return new Promise((resolve) => {
      this.#output.once('close', resolve)
      this.#output.write('', () => resolve())
    })
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    for (const read of this.#reader.push(bytes)) this.#receive(read)
    this.#regulate()
  }

  readonly #onEnd = (): void => this.onend?.()

  readonly #onInputError = (error: Error): void => {
    this.onerror?.(error)
    this.onend?.()
  }

  /** EPIPE and the like: nobody is reading our answers. */
  readonly #onOutputError = (error: Error): void => {
    this.#open.clear()
    this.#settleIdle()
    this.#onInputError(error)
  }

  readonly #onDrain = (): void => {
    this.#full = false
    this.#regulate()
  }

  #receive(read: Frame): void {
    const received = parseFrame(read)
    if (received.kind === 'refused') this.#refuse(null, received.code, received.message)
    else if (received.kind === 'single') this.#receiveOne(received.value, undefined)
    else this.#receiveBatch(received.values)
  }

  #receiveBatch(values: readonly unknown[]): void {
    const ids = values.filter(isJSONRPCRequest).map((request) => request.id)
    const batch = new Batch(ids, (answers) => this.#write(JSON.stringify(answers)))
    for (const value of values) this.#receiveOne(value, batch)
  }

  #receiveOne(value: unknown, batch: Batch | undefined): void {
    if (isJSONRPCRequest(value)) {
      this.#open.set(value.id, batch)
      this.onmessage?.(value)
    } else if (isJSONRPCNotification(value)) {
      if (value.method === 'notifications/cancelled') this.#cancel(value.params)
      this.onmessage?.(value)
    } else if (isJSONRPCResponse(value)) {
      this.onmessage?.(value)
    } else {
      this.#refuse(requestIdOf(value) ?? null, INVALID_REQUEST, 'the message is not a JSON-RPC 2.0 message')
    }
  }

  /** A cancelled request gets no answer, so nothing may wait for one. */
  #cancel(params: object | undefined): void {
    const id = params !== undefined && 'requestId' in params ? params.requestId : undefined
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.#open.get(id)?.drop(id)
    this.#settle(id)
  }

  #settle(id: RequestId): void {
    this.#open.delete(id)
    if (this.#open.size === 0) this.#settleIdle()
    this.#regulate()
  }

  #settleIdle(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#write(errorText(id, code, message))
  }

  #write(text: string): void {
    if (this.#closed || this.#output.destroyed) return
    if (!this.#output.write(frame(text, this.#reader.framing))) this.#full = true
  }

  #regulate(): void {
    if (!this.#reading) return
    const hold = this.#full || this.#open.size >= MAX_OPEN_REQUESTS
    if (hold && !this.#input.isPaused()) this.#input.pause()
    else if (!hold && this.#input.isPaused()) this.#input.resume()
  }
}
