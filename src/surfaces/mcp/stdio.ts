/**
 * MCP over stdin and stdout, for one client.
 *
 * INVARIANT: ends when the client closes its end, stops reading, or `stop` is called; then what was asked is answered
 * or cancelled within the grace period, and everything written has left before `done` resolves.
 */
import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { makeServer, type ServerParts, type Visitor } from './server.ts'
import { StdioTransport } from './stdio-transport.ts'

export interface Streams {
  readonly input: Readable
  readonly output: Writable
}

export interface StdioService {
  /** Resolves when the conversation is over and flushed. Never rejects. */
  readonly done: Promise<void>
  stop(): void
}

/** Long enough to finish a call, short enough for a host that is waiting for us to end. */
const GRACE_MS = 5000
/** The part of it that is kept for cancelled calls to say so. */
const FAREWELL_MS = 500

export function serveOverStdio(
  parts: ServerParts,
  visitor: Visitor,
  streams: Streams,
  graceMs: number = GRACE_MS,
): StdioService {
  const transport = new StdioTransport(streams.input, streams.output)
  const ended = Promise.withResolvers<void>()
  transport.onend = ended.resolve
  const handle = serveStdio(({ era }) => makeServer(parts, visitor, era), {
    transport,
    onerror: (error) => parts.onOddity?.(error),
  })
  const done = ended.promise.then(async () => {
    transport.stopReading()
    if (!(await transport.answered(graceMs - FAREWELL_MS))) {
      parts.calls.cancelAll()
      await transport.answered(FAREWELL_MS)
    }
    await handle.close()
    await parts.calls.idle(FAREWELL_MS)
    await flushed(transport)
    // An open stdin would keep the process alive.
    streams.input.destroy()
  })
  return { done, stop: ended.resolve }
}

/** A client that does not read its answers cannot keep us here. */
async function flushed(transport: StdioTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FAREWELL_MS)
  })
  await Promise.race([transport.flushed(), late])
  clearTimeout(timer)
}
