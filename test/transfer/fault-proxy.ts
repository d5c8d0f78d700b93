/**
 * Stands in front of a mail server and understands what it hears: a fault can be made at any command of a dialogue.
 *
 * INVARIANT: without a fault every byte passes as it is, in order, unless the server is to seem a lesser one.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { CommandReader, type Unit } from './command-reader.ts'

export interface Heard {
  /** Counted over all connections. */
  readonly index: number
  /** `UID FETCH`, `APPEND` … */
  readonly name: string
}

export type Fault =
  /** The connection is reset; the command never arrives. */
  | { readonly kind: 'reset' }
  /** Reset, and so many of the next connections are refused. */
  | { readonly kind: 'refuse'; readonly connections: number }
  /** The command never arrives, and nobody says so. */
  | { readonly kind: 'stall' }
  /** It is carried out, but nothing is heard any more. */
  | { readonly kind: 'mute' }
  /** It is carried out, and the connection is reset instead of the answer. */
  | { readonly kind: 'lose' }
  /** The connection ends inside its literal or, where it has none, inside the answer. */
  | { readonly kind: 'cut' }
  /** It is not carried out; this is the answer. */
  | { readonly kind: 'say'; readonly words: string }
  /** Something happens before it arrives. */
  | { readonly kind: 'first'; work(): Promise<void> }

export interface Plan {
  at(command: Heard): boolean
  readonly fault: Fault
  /** So often; once when absent. */
  readonly times?: number
}

export interface Lesser {
  /** Capabilities that the server does not have. */
  readonly without?: readonly string[]
  /** It tells sizes that are too large, as some do. */
  readonly guesses?: boolean
  /** What it makes of every message it is given, a character for each byte. The client must have LITERAL+. */
  rewrites?(message: string): string
  /** It does not keep the INTERNALDATE it is given. */
  readonly undated?: boolean
}

export interface FaultProxy {
  readonly port: number
  /** For a server that is not there yet. */
  aim(target: number): void
  heard(): readonly string[]
  /** From now on, in place of whatever was planned before. */
  plan(...plans: readonly Plan[]): void
  /** How often it has happened. */
  struck(): number
  close(): Promise<void>
}

interface State {
  target: number
  readonly lesser: Lesser
  readonly heard: string[]
  readonly lines: Set<FaultLine>
  /** And how often each has happened. */
  plans: Map<Plan, number>
  refusals: number
}

export async function startFaultProxy(target: number, lesser: Lesser = {}): Promise<FaultProxy> {
  const lines = new Set<FaultLine>()
  const state: State = { target, lesser, heard: [], lines, plans: new Map(), refusals: 0 }
  const server = createServer((near) => {
    if (state.refusals > 0) {
      state.refusals -= 1
      near.resetAndDestroy()
      return
    }
    new FaultLine(near, state)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    aim: (port) => {
      state.target = port
    },
    heard: () => state.heard,
    plan: (...plans) => {
      state.plans = new Map(plans.map((plan) => [plan, 0]))
      state.refusals = 0
    },
    struck: () => [...state.plans.values()].reduce((sum, times) => sum + times, 0),
    close: async () => {
      for (const line of lines) line.end()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const PLUS = 0x2b

class FaultLine {
  readonly #near: Socket
  readonly #far: Socket
  readonly #state: State
  readonly #reader = new CommandReader()
  /** What came while something else has to happen first. */
  #queue: Promise<void> = Promise.resolve()
  #fault: Fault | undefined
  #muted = false
  /** The tag whose answer is lost. */
  #lost: string | undefined
  #held = Buffer.alloc(0)
  #cutsAnswer = false
  /** The line of an APPEND whose message is to be rewritten: its length is not known before. */
  #announced: string | undefined

  constructor(near: Socket, state: State) {
    this.#near = near
    this.#state = state
    this.#far = connect(state.target, '127.0.0.1')
    state.lines.add(this)
    near.setNoDelay(true)
    this.#far.setNoDelay(true)
    near.on('error', () => this.end()).on('close', () => this.end())
    this.#far.on('error', () => this.end()).on('close', () => this.end())
    near.on('data', (chunk: Buffer) => {
      this.#queue = this.#queue.then(async () => {
        for (const unit of this.#reader.read(chunk)) await this.#pass(unit)
      })
    })
    this.#far.on('data', (chunk: Buffer) => this.#answer(chunk))
  }

  /** What has passed still arrives. */
  end(): void {
    this.#state.lines.delete(this)
    this.#near.destroy()
    this.#far.end()
  }

  async #pass(unit: Unit): Promise<void> {
    if (this.#near.destroyed) return
    if (unit.kind === 'start') await this.#begin(unit)
    if (this.#near.destroyed) return
    switch (this.#fault?.kind) {
      case 'say':
      case 'stall':
        return
      case 'cut':
        if (unit.kind !== 'literal') break
        this.#far.write(unit.bytes.subarray(0, unit.bytes.length >> 1))
        this.end()
        return
    }
    const edited = this.#edited(unit)
    if (edited !== undefined) this.#far.write(edited)
  }

  async #begin(unit: Extract<Unit, { kind: 'start' }>): Promise<void> {
    const state = this.#state
    const command = { index: state.heard.length, name: unit.name }
    state.heard.push(unit.name)
    this.#fault = undefined
    const [plan] = [...state.plans].find(([{ at, times = 1 }, struck]) => struck < times && at(command)) ?? []
    if (plan === undefined) return
    state.plans.set(plan, (state.plans.get(plan) ?? 0) + 1)
    this.#fault = plan.fault
    await this.#strike(plan.fault, unit)
  }

  async #strike(fault: Fault, { tag, literal }: Extract<Unit, { kind: 'start' }>): Promise<void> {
    switch (fault.kind) {
      case 'refuse':
        this.#state.refusals = fault.connections
        for (const line of this.#state.lines) line.#reset()
        return
      case 'reset':
        return this.#reset()
      case 'stall':
      case 'mute':
        this.#muted = true
        return
      case 'lose':
        this.#lost = tag
        return
      case 'cut':
        this.#cutsAnswer = literal === undefined
        return
      case 'say':
        this.#near.write(`${tag} ${fault.words}\r\n`)
        if (literal === 'invited') this.#reader.skipLiteral()
        return
      case 'first':
        return fault.work()
    }
  }

  #reset(): void {
    this.#near.resetAndDestroy()
    this.#far.destroy()
    this.#state.lines.delete(this)
  }

  #answer(chunk: Buffer): void {
    if (this.#muted || this.#near.destroyed) return
    if (this.#cutsAnswer) {
      this.#near.write(chunk.subarray(0, cutPoint(chunk)))
      setImmediate(() => this.#reset())
      this.#muted = true
      return
    }
    // Without an invitation it would not be carried out.
    if (this.#lost === undefined || chunk[0] === PLUS) {
      this.#near.write(lessened(chunk, this.#state.lesser))
      return
    }
    this.#held = Buffer.concat([this.#held, chunk])
    const text = `\r\n${this.#held.toString('latin1')}`
    const from = text.indexOf(`\r\n${this.#lost} `)
    if (from < 0) return
    this.#near.write(this.#held.subarray(0, from))
    setImmediate(() => this.#reset())
    this.#muted = true
  }

  #edited(unit: Unit): Buffer | undefined {
    const { rewrites, undated = false } = this.#state.lesser
    if (this.#reader.command !== 'APPEND' || unit.kind === 'rest') return unit.bytes
    const text = unit.bytes.toString('latin1')
    if (unit.kind === 'start') {
      const line = undated ? text.replace(/ "[^"]{26}"/, '') : text
      if (rewrites === undefined) return Buffer.from(line, 'latin1')
      this.#announced = line
      return undefined
    }
    const message = rewrites?.(text) ?? text
    const line = this.#announced?.replace(/\{\d+\+\}\r\n$/, `{${message.length}+}\r\n`) ?? ''
    this.#announced = undefined
    return Buffer.from(line + message, 'latin1')
  }
}

/** In the middle of the first literal or, where there is none, of everything. */
function cutPoint(chunk: Buffer): number {
  const literal = /\{(\d+)\}\r\n/.exec(chunk.toString('latin1'))
  if (literal === null) return chunk.length >> 1
  return Math.min(chunk.length - 1, literal.index + literal[0].length + (Number(literal[1]) >> 1))
}

function lessened(chunk: Buffer, { without = [], guesses = false }: Lesser): Buffer {
  if (without.length === 0 && !guesses) return chunk
  let text = chunk.toString('latin1')
  if (/CAPABILITY/.test(text)) for (const name of without) text = text.replaceAll(` ${name}`, '')
  if (without.includes('UIDPLUS')) text = text.replaceAll(/\[APPENDUID \d+ \d+\] /g, '')
  if (guesses) text = text.replaceAll(/RFC822\.SIZE (\d+)/g, (_, size: string) => `RFC822.SIZE ${Number(size) + 7}`)
  return Buffer.from(text, 'latin1')
}
