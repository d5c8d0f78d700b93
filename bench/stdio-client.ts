/**
 * A JSON-RPC client over a child's stdio that costs next to nothing, so that what is timed is the server.
 *
 * INVARIANT: a request whose server has ended is rejected, never left waiting.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface Program {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

export class StdioClient {
  readonly #child: ChildProcess
  readonly #input: Writable
  readonly #waiting = new Map<number, Waiting>()
  #unread = ''
  #complaints = ''
  #lastId = 0

  constructor({ args, env, cwd }: Program) {
    const child = spawn(process.execPath, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'], cwd })
    this.#child = child
    this.#input = child.stdin
    child.stdin.on('error', () => undefined) // the exit tells more
    lines(child.stdout, (text) => this.#read(text))
    lines(child.stderr, (text) => {
      this.#complaints = (this.#complaints + text).slice(-2000)
    })
    child.once('close', () => this.#abandon())
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  request(method: string, params: object): Promise<unknown> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#write({ jsonrpc: '2.0', id, method, params })
    })
  }

  /** The first exchange of every conversation. */
  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1.0.0' }
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  call(name: string, args: object = {}): Promise<unknown> {
    return this.request('tools/call', { name, arguments: args })
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  #write(message: object): void {
    this.#input.write(`${JSON.stringify(message)}\n`)
  }

  #read(text: string): void {
    const parts = (this.#unread + text).split('\n')
    this.#unread = parts.pop() ?? ''
    for (const part of parts) this.#settle(JSON.parse(part) as Answer)
  }

  #settle({ id, result, error }: Answer): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (id === undefined || waiting === undefined) return
    this.#waiting.delete(id)
    if (error === undefined) waiting.resolve(result)
    else waiting.reject(new Error(`the server answered with an error: ${error.message}`))
  }

  #abandon(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`the server ended: ${this.#complaints}`))
    this.#waiting.clear()
  }
}

function lines(stream: Readable, take: (text: string) => void): void {
  stream.setEncoding('utf8').on('data', take)
}
