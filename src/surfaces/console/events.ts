/**
 * Tells open pages that something has changed; what, they ask for themselves.
 *
 * INVARIANT: a stream ends with its session, whichever process ended that, and with its reader. For a
 * reader that is slow nothing piles up and nothing is lost. There are never more than so many.
 */
import type { Hono } from 'hono'
import { Failure } from '../../core/failure.ts'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import { notFound } from './answers.ts'
import type { Env } from './env.ts'

const HEARTBEAT_MS = 15_000
const MOST_STREAMS = 64
/** Events that are on their way to a reader. */
const MOST_WAITING = 4

export interface EventStreams {
  /** Ends those of one session. */
  endOf(session: string): void
  endAll(): void
}

interface Stream {
  readonly session: string
  end(): void
}

type Desk = Pick<ConsoleDesk, 'changes' | 'lock'>

export class Streams implements EventStreams {
  readonly #desk: Desk
  readonly #heartbeatMs: number
  readonly #open = new Set<Stream>()

  constructor(desk: Desk, heartbeatMs = HEARTBEAT_MS) {
    this.#desk = desk
    this.#heartbeatMs = heartbeatMs
  }

  endOf(session: string): void {
    for (const stream of this.#open) if (stream.session === session) stream.end()
  }

  endAll(): void {
    for (const stream of this.#open) stream.end()
  }

  /** `gone` tells that whoever asked has left, which may be before anybody reads the stream. */
  open(session: string, secret: string, gone?: AbortSignal): ReadableStream<Uint8Array> {
    if (this.#open.size >= MOST_STREAMS) {
      throw new Failure('unavailable', 'too many pages of the console are open; close some of them')
    }
    let finish = (): void => undefined
    let drain = (): void => undefined
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const line = new Line(controller)
          const stream: Stream = {
            session,
            end: () => {
              if (!this.#open.has(stream)) return
              finish()
              controller.close()
            },
          }
          const beat = (): void => void this.#beat(stream, secret, line)
          const heartbeat = setInterval(beat, this.#heartbeatMs)
          heartbeat.unref()
          const stopWatching = this.#desk.changes.watch(
            (kind) => line.tell(kind),
            () => line.tell('hello'),
          )
          drain = () => line.drain()
          finish = () => {
            clearInterval(heartbeat)
            stopWatching()
            gone?.removeEventListener('abort', stream.end)
            this.#open.delete(stream)
          }
          this.#open.add(stream)
          gone?.addEventListener('abort', stream.end, { once: true })
          if (gone?.aborted) stream.end()
        },
        pull: () => drain(),
        cancel: () => finish(),
      },
      { highWaterMark: MOST_WAITING },
    )
  }

  async #beat(stream: Stream, secret: string, line: Line): Promise<void> {
    const session = await this.#desk.lock.session(secret).catch(() => undefined)
    if (!this.#open.has(stream)) return
    if (session === undefined) stream.end()
    else line.beat()
  }
}

/** What goes to one reader. While it does not read, each kind of event waits for it once. */
class Line {
  readonly #controller: ReadableStreamDefaultController<Uint8Array>
  readonly #text = new TextEncoder()
  readonly #waiting = new Set<string>()

  constructor(controller: ReadableStreamDefaultController<Uint8Array>) {
    this.#controller = controller
  }

  tell(kind: string): void {
    this.#waiting.add(kind)
    this.drain()
  }

  beat(): void {
    if (this.#hasRoom) this.#say(':\n\n')
  }

  drain(): void {
    for (const kind of this.#waiting) {
      if (!this.#hasRoom) return
      this.#waiting.delete(kind)
      this.#say(eventText(kind))
    }
  }

  get #hasRoom(): boolean {
    return (this.#controller.desiredSize ?? 0) > 0
  }

  #say(text: string): void {
    this.#controller.enqueue(this.#text.encode(text))
  }
}

export function addEvents(app: Hono<Env>, streams: Streams): void {
  app.get('/console/api/events', (c) => {
    // A HEAD comes here too, and nobody would read what it opens.
    if (c.req.method !== 'GET') return notFound(c)
    const stream = streams.open(c.get('session').name, c.get('secret'), c.req.raw.signal)
    // A proxy that kept it until it is whole would keep it for ever.
    return c.body(stream, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
  })
}

function eventText(kind: string): string {
  return `event: ${kind}\ndata: ${JSON.stringify({ at: new Date().toISOString() })}\n\n`
}
