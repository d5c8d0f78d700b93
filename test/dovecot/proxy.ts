/**
 * A TCP proxy in front of a server, to see and to disturb what passes: counts round trips, delays, cuts, stalls.
 * A round trip is a burst of the client's that the server answers; bytes the client sends before an answer are one burst.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface MailProxy {
  readonly port: number
  /** Since the last `reset`, over all connections. */
  roundTrips(): number
  /** What clients sent since the last `reset`, one character for each byte. */
  sent(): string
  /** How many bytes the server sent since the last `reset`. */
  received(): number
  /** How many connections were ever accepted, and how many are open. */
  accepted(): number
  open(): number
  reset(): void
  /** Holds every byte back so long, each way. */
  delay(oneWayMs: number): void
  /** Breaks connections once so many further bytes of the server's have passed. */
  cutAfter(bytes: number): void
  /** Breaks the connection as soon as the client has sent this. The server gets it, its answer goes nowhere. */
  cutAtAnswerTo(text: string): void
  /** Breaks connections once so many further bytes of the clients' have reached the server. */
  cutAfterSent(bytes: number): void
  /** While stalled, nothing of the server's passes. */
  stall(on: boolean): void
  /** While refusing, new connections are closed at once. */
  refuse(on: boolean): void
  /** Breaks all connections now. */
  cutAll(): void
  stop(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  talking: 'client' | 'server'
}

export async function startProxy(target: number): Promise<MailProxy> {
  const pairs = new Set<Pair>()
  const held: (() => void)[] = []
  const state = { trips: 0, sent: [] as Buffer[], received: 0, accepted: 0, delay: 0, stalled: false, refusing: false }
  let cutIn = Number.POSITIVE_INFINITY
  let cutText: string | undefined
  let sendsLeft = Number.POSITIVE_INFINITY

  const end = (pair: Pair): void => {
    pairs.delete(pair)
    pair.client.destroy()
    pair.server.destroy()
  }
  /** What has passed still arrives. */
  const hangUp = (pair: Pair): void => {
    pair.client.destroy()
    pair.server.end()
  }
  const later = (work: () => void): void => {
    if (state.delay === 0) work()
    else setTimeout(work, state.delay)
  }
  const fromClient = (pair: Pair, chunk: Buffer): void => {
    if (pair.talking === 'server') state.trips += 1
    pair.talking = 'client'
    state.sent.push(chunk)
    if (cutText !== undefined && chunk.toString('latin1').includes(cutText)) {
      cutText = undefined
      cutIn = 0
    }
    const passing = chunk.subarray(0, Math.min(chunk.length, sendsLeft))
    sendsLeft -= passing.length
    later(() => {
      pair.server.write(passing)
      if (passing.length < chunk.length) hangUp(pair)
    })
  }
  const fromServer = (pair: Pair, chunk: Buffer): void => {
    pair.talking = 'server'
    state.received += chunk.length
    const passing = chunk.subarray(0, Math.min(chunk.length, cutIn))
    cutIn -= passing.length
    const pass = (): void => {
      if (passing.length > 0) pair.client.write(passing)
      if (passing.length < chunk.length) end(pair)
    }
    if (state.stalled) held.push(pass)
    else later(pass)
  }
  const listener = createServer((client) => {
    state.accepted += 1
    if (state.refusing) {
      client.destroy()
      return
    }
    const pair: Pair = { client, server: connect(target, '127.0.0.1'), talking: 'server' }
    pairs.add(pair)
    client.setNoDelay(true)
    pair.server.setNoDelay(true)
    client.on('data', (chunk: Buffer) => fromClient(pair, chunk))
    pair.server.on('data', (chunk: Buffer) => fromServer(pair, chunk))
    for (const socket of [client, pair.server]) {
      socket.on('error', () => end(pair))
      socket.on('close', () => later(() => end(pair)))
    }
  })
  const port = await listen(listener)
  return {
    port,
    roundTrips: () => state.trips,
    sent: () => Buffer.concat(state.sent).toString('latin1'),
    received: () => state.received,
    accepted: () => state.accepted,
    open: () => pairs.size,
    reset: () => Object.assign(state, { trips: 0, sent: [], received: 0 }),
    delay: (oneWayMs) => Object.assign(state, { delay: oneWayMs }),
    cutAfter: (bytes) => {
      cutIn = bytes
    },
    cutAtAnswerTo: (text) => {
      cutText = text
    },
    cutAfterSent: (bytes) => {
      sendsLeft = bytes
    },
    stall: (on) => {
      state.stalled = on
      if (!on) for (const pass of held.splice(0)) pass()
    },
    refuse: (on) => Object.assign(state, { refusing: on }),
    cutAll: () => {
      cutIn = Number.POSITIVE_INFINITY
      sendsLeft = Number.POSITIVE_INFINITY
      for (const pair of pairs) end(pair)
    },
    stop: async () => {
      for (const pair of pairs) end(pair)
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
      else reject(new Error('the proxy has no port'))
    })
  })
}
