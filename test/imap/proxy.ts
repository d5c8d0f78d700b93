/** Stands between Postern and a mail server: sees every byte, and can be an unreliable network. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface MailProxy {
  readonly port: number
  /** All that Postern sent, connection after connection. */
  sent(): string
  /** The same, one text for each connection. */
  conversations(): readonly string[]
  /** How many bytes the mail server sent. */
  received(): number
  /** How often Postern spoke after the server had: round trips, where one connection is used. */
  turns(): number
  /** How many connections were made. */
  connections(): number
  forget(): void
  /** From now on nothing the mail server says arrives. */
  stall(): void
  /** Lets everything through again that comes from now on. */
  flow(): void
  /** Cuts each connection after it brought that many more bytes. */
  cutAfter(bytes: number): void
  /** Does something, once, when such a command has passed and before its answer comes back. */
  when(pattern: RegExp, action: () => void): void
  /** Postern's ends of all connections go; what it has sent still arrives. */
  hangUp(): void
  /** Cuts all connections now. */
  cut(): void
  close(): Promise<void>
}

interface Line {
  readonly near: Socket
  readonly far: Socket
  readonly sent: Buffer[]
}

export async function startProxy(target: number): Promise<MailProxy> {
  let lines: Line[] = []
  let received = 0
  let turns = 0
  let serverSpoke = true
  let stalled = false
  let room = Number.POSITIVE_INFINITY
  let awaited: { readonly pattern: RegExp; readonly action: () => void } | undefined
  const conversations = (): string[] => lines.map(({ sent }) => Buffer.concat(sent).toString('latin1'))
  const drop = ({ near, far }: Line): void => {
    near.destroy()
    far.destroy()
  }
  const pass = (line: Line, chunk: Buffer): void => {
    received += chunk.length
    serverSpoke = true
    if (stalled || line.near.destroyed) return
    line.near.write(chunk.subarray(0, Math.min(chunk.length, room)))
    room -= chunk.length
    if (room <= 0) drop(line)
  }
  const server = createServer((near) => {
    const line: Line = { near, far: connect(target, '127.0.0.1'), sent: [] }
    lines.push(line)
    near.on('error', () => near.destroy()).on('close', () => line.far.end())
    line.far.on('error', () => drop(line)).on('close', () => drop(line))
    near.on('data', (chunk) => {
      line.sent.push(chunk)
      if (serverSpoke) turns += 1
      serverSpoke = false
      line.far.write(chunk)
      if (awaited?.pattern.test(chunk.toString('latin1')) !== true) return
      const { action } = awaited
      awaited = undefined
      action()
    })
    line.far.on('data', (chunk) => pass(line, chunk))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    sent: () => conversations().join(''),
    conversations,
    received: () => received,
    turns: () => turns,
    connections: () => lines.length,
    forget: () => {
      received = 0
      turns = 0
      for (const { sent } of lines) sent.splice(0)
    },
    stall: () => {
      stalled = true
    },
    flow: () => {
      stalled = false
      room = Number.POSITIVE_INFINITY
    },
    cutAfter: (bytes) => {
      room = bytes
    },
    when: (pattern, action) => {
      awaited = { pattern, action }
    },
    hangUp: () => {
      for (const { near } of lines) near.destroy()
    },
    cut: () => {
      for (const line of lines) drop(line)
      lines = []
    },
    close: async () => {
      for (const line of lines) drop(line)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
