/** A server process spoken to byte by byte, for what no well-behaved client would send. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const script = (name: string): string => join(import.meta.dirname, name)

export class RawProcess {
  readonly child: ChildProcessWithoutNullStreams
  output = ''
  errors = ''
  readonly #exit: Promise<number | null>
  readonly #watchers: (() => void)[] = []

  /** Sees these variables and nothing else of ours. */
  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, args, { stdio: 'pipe', env })
    // What it printed last may be read only after it has ended.
    this.#exit = once(this.child, 'close').then(([code]) => code as number | null)
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
      for (const look of this.#watchers) look()
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text
    })
    this.child.stdin.on('error', () => {})
  }

  write(...lines: (string | object)[]): void {
    for (const line of lines) this.child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  }

  /** Everything on stdout so far: each line must be JSON. */
  messages(): Record<string, unknown>[] {
    return this.output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  async until(enough: (output: string) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (enough(this.output)) resolve()
      }
      this.#watchers.push(look)
      look()
    })
  }

  /** The answer to one request. */
  async answer(id: number | null): Promise<Record<string, unknown>> {
    const find = (): Record<string, unknown> | undefined => this.messages().find((message) => message['id'] === id)
    await this.until((output) => output.endsWith('\n') && find() !== undefined)
    return find() ?? {}
  }

  /** Says that nothing more will come, and waits for the end. */
  async end(): Promise<number | null> {
    this.child.stdin.end()
    return this.exitCode()
  }

  exitCode(): Promise<number | null> {
    return this.#exit
  }

  kill(): void {
    if (this.child.exitCode === null) this.child.kill('SIGKILL')
  }
}

export const initialize = (id: number, protocolVersion = '2025-11-25'): object => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

export const call = (id: number, account: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { account } },
})
