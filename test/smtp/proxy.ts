/** Stands between a sender and a mail server in clear, and goes wrong at the place that a test names. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What happens once the client has sent what `at` matches, or, where there is no `at`, instead of the greeting. */
export interface Fault {
  /** Tried on all that the client has sent since the server spoke last. */
  readonly at?: RegExp
  /**
   * `swallow`: what matched never reaches the server, and the line is cut. `cut`: it reaches it, and the line is cut instead of the
   * answer. `stall`: no answer ever comes. `answer`: another answer comes, and the server's own is dropped. `part`: so many bytes
   * of the answer come, then the line is cut. `wait`: the answer is late. `more`: other words beside the server's own come.
   */
  readonly does:
    | 'swallow'
    | 'cut'
    | 'stall'
    | { readonly answer: string; readonly close?: boolean }
    | { readonly part: number }
    | { readonly wait: number }
    | { readonly more: string }
  /** Default: once, then all is well again. */
  readonly always?: boolean
}

export interface SmtpProxy {
  readonly port: number
  /** All that clients have sent, connection after connection. */
  sent(): string
  connections(): number
  /** The one thing that goes wrong from now on; nothing without. */
  arrange(fault?: Fault): void
  /** Resolves when a client has sent what matches, on a connection that is open now or later. */
  seen(pattern: RegExp): Promise<void>
  /** Cuts all connections now. */
  cut(): void
  close(): Promise<void>
}

interface Line {
  readonly near: Socket
  readonly far: Socket
  sent: string
  /** What the client has sent since the server spoke last. */
  turn: string
  /** What the next words of the server meet. */
  met: Fault | undefined
}

export async function startProxy(target: number): Promise<SmtpProxy> {
  const lines: Line[] = []
  let fault: Fault | undefined
  let watchers: { readonly pattern: RegExp; readonly found: () => void }[] = []
  const take = (): Fault | undefined => {
    const taken = fault
    if (taken?.always !== true) fault = undefined
    return taken
  }
  const notice = (line: Line): void => {
    for (const { pattern, found } of watchers) if (pattern.test(line.sent)) found()
    watchers = watchers.filter(({ pattern }) => !pattern.test(line.sent))
  }
  const fromClient = (line: Line, chunk: Buffer): void => {
    line.sent += chunk.toString('latin1')
    line.turn += chunk.toString('latin1')
    const hit = fault?.at?.test(line.turn) === true ? take() : undefined
    if (hit?.does === 'swallow') drop(line)
    else {
      line.met = hit ?? line.met
      line.far.write(chunk)
    }
    notice(line)
  }
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    const line: Line = { near, far, sent: '', turn: '', met: undefined }
    if (fault !== undefined && fault.at === undefined) line.met = take()
    lines.push(line)
    near.setNoDelay(true)
    far.setNoDelay(true)
    near.on('error', () => drop(line)).on('close', () => far.end())
    far.on('error', () => drop(line)).on('close', () => (line.met?.does === 'stall' ? undefined : near.end()))
    near.on('data', (chunk) => fromClient(line, chunk))
    far.on('data', (chunk) => fromServer(line, chunk))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => lines.map(({ sent }) => sent).join(''),
    connections: () => lines.length,
    arrange: (next) => {
      fault = next
    },
    seen: (pattern) =>
      new Promise((found) => {
        watchers.push({ pattern, found })
        for (const line of lines.filter(({ near }) => !near.destroyed)) notice(line)
      }),
    cut: () => lines.forEach(drop),
    close: async () => {
      lines.forEach(drop)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function drop({ near, far }: Line): void {
  near.destroy()
  // What it was given before still arrives there.
  far.end()
}

function fromServer(line: Line, chunk: Buffer): void {
  const { near, met } = line
  line.turn = ''
  if (met === undefined || met.does === 'swallow') {
    near.write(chunk)
    return
  }
  const { does } = met
  if (does === 'stall') return
  line.met = undefined
  if (does === 'cut') drop(line)
  else if ('part' in does) near.write(chunk.subarray(0, does.part), () => drop(line))
  else if ('wait' in does) setTimeout(() => near.write(chunk), does.wait)
  else if ('more' in does) near.write(Buffer.concat([chunk, Buffer.from(does.more, 'latin1')]))
  else near.write(Buffer.from(does.answer, 'latin1'), () => (does.close === true ? drop(line) : undefined))
}
