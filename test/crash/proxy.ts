/**
 * Stands between Postern and a mail server, counts the commands that pass, and strikes at a chosen point of the dialogue.
 *
 * INVARIANT: what the server has got when the blow falls is exactly what the point says; after it, nothing more of that
 * connection passes either way but what was held back as late.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandCutter, type Piece } from './command-cutter.ts'

/**
 * `before`: nothing of the command has left. `inside`: half of its literal has. `sent`: all of it has, and nobody waits for
 * the answer. `answered`: the server has answered, and the answer is lost. `late`: the second half of the literal reaches the
 * server only some time after the blow.
 */
export type Place = 'before' | 'inside' | 'sent' | 'answered' | 'late'

export interface Point {
  /** The number of the command, counted from when the proxy was armed. */
  readonly command: number
  readonly place: Place
}

/** As it passed: its first words, without what is the user's, and whether it had a literal. */
export interface Passed {
  readonly words: string
  readonly literal: boolean
}

export interface StrikingProxy {
  readonly port: number
  /** Counts from here on, and strikes once, at that point if there is one. */
  arm(point: Point | undefined, strike: () => void): void
  passed(): readonly Passed[]
  struck(): boolean
  /** Until what was held back is with the server. */
  late(): Promise<void>
  close(): Promise<void>
}

/** Longer than a start takes. */
const LATE_MS = 1500

export async function startStrikingProxy(target: number): Promise<StrikingProxy> {
  const open = new Set<Socket>()
  let state = armed(undefined, () => undefined)
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('close', () => open.delete(socket))
    }
    relay(near, far, () => state)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    arm: (point, strike) => {
      state = armed(point, strike)
    },
    passed: () => [...state.passed],
    struck: () => state.struck,
    late: () => state.late,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Armed {
  readonly point: Point | undefined
  readonly strike: () => void
  readonly passed: Passed[]
  struck: boolean
  late: Promise<void>
}

function armed(point: Point | undefined, strike: () => void): Armed {
  return { point, strike, passed: [], struck: false, late: Promise.resolve() }
}

function relay(near: Socket, far: Socket, current: () => Armed): void {
  const cutter = new CommandCutter()
  let number = -1
  let dead = false
  let awaitedTag: string | undefined
  let heard = ''
  const held: Uint8Array[] = []

  const strike = (state: Armed): void => {
    dead = true
    state.struck = true
    state.strike()
  }
  const atPoint = (state: Armed, place: Place): boolean =>
    !state.struck && state.point?.command === number && state.point.place === place

  const take = (piece: Piece): void => {
    const state = current()
    if (piece.begins) {
      number = state.passed.length
      state.passed.push({ words: wordsOf(piece.bytes), literal: false })
      if (atPoint(state, 'before')) {
        strike(state)
        return
      }
      if (atPoint(state, 'answered')) awaitedTag = tagOf(piece.bytes)
    }
    if (piece.kind === 'literal') noteLiteral(state, number)
    if (piece.kind === 'literal' && atPoint(state, 'inside')) {
      if (piece.isFirst) far.write(piece.bytes.subarray(0, Math.ceil(piece.bytes.length / 2)))
      strike(state)
      return
    }
    if (held.length > 0 || (piece.kind === 'literal' && atPoint(state, 'late'))) held.push(piece.bytes)
    else far.write(piece.bytes)
    if (!piece.ends) return
    if (atPoint(state, 'sent')) strike(state)
    if (atPoint(state, 'late') && held.length > 0) {
      strike(state)
      state.late = sendLate(far, held)
    }
  }
  near.on('data', (chunk: Buffer) => {
    for (const piece of cutter.cut(chunk)) if (!dead) take(piece)
  })
  far.on('data', (chunk: Buffer) => {
    if (dead) return
    if (awaitedTag === undefined) {
      near.write(chunk)
      return
    }
    const before = heard.length
    heard += chunk.toString('latin1')
    const at = `\r\n${heard}`.search(new RegExp(`\\r\\n${awaitedTag} (OK|NO|BAD)`))
    if (at < 0) {
      near.write(chunk)
      return
    }
    if (at > before) near.write(chunk.subarray(0, at - before))
    strike(current())
  })
  near.on('error', () => undefined).on('close', () => held.length === 0 && far.end())
  far.on('error', () => undefined).on('close', () => near.destroy())
}

async function sendLate(far: Socket, held: readonly Uint8Array[]): Promise<void> {
  await delay(LATE_MS)
  for (const bytes of held) far.write(bytes)
  // The server has it all, and has dealt with it, when it closes its end.
  await new Promise((resolve) => far.once('close', resolve).end())
}

function noteLiteral({ passed }: Armed, number: number): void {
  const one = passed[number]
  if (one !== undefined) passed[number] = { ...one, literal: true }
}

function tagOf(line: Uint8Array): string {
  return Buffer.from(line).toString('latin1').split(' ', 1)[0]?.trim() ?? ''
}

function wordsOf(line: Uint8Array): string {
  const [, verb = '', object = ''] = Buffer.from(line).toString('latin1').trim().split(' ')
  return verb.toUpperCase() === 'UID' ? `UID ${object}` : verb
}
