/**
 * Which requests were answered, how fast and how: one JSON object a line, in files that stay small.
 *
 * INVARIANT: nothing of a request but its method, the name of a tool that there is, how long it took and its code; no mail,
 * no argument, no message of anyone else's. No call waits for it and none fails because of it. Several processes share the
 * files: every line is whole and in one of them.
 */
import { appendFile, appendFileSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { FileLocks } from '../../ports/file-locks.ts'

export interface Answered {
  readonly method: string
  /** Of a tool call, where there is such a tool. */
  readonly tool?: string | undefined
  readonly durationMs: number
  /** The JSON-RPC code of the error, where it was answered with one. */
  readonly code?: number | undefined
}

export interface RequestLog {
  note(answered: Answered): void
  /** Writes what was noted; afterwards nothing more is. */
  close(): Promise<void>
}

export interface RequestLogOptions {
  /** Where state lives. */
  readonly directory: string
  /** Asked for when the log is full. */
  readonly locks: () => Promise<FileLocks>
}

const NAME = 'postern.log'
/** Under a megabyte by what several processes may add at once before one of them sees that the file is full. */
const LARGEST_BYTES = 900_000
const LINES_AT_ONCE = 64
/** Lines are written together. */
const EVERY_MS = 250
/** A disk that takes nothing must not fill the memory instead. */
const MOST_WAITING = 10_000

export function createRequestLog({ directory, locks }: RequestLogOptions): RequestLog {
  return new BufferedLog(join(directory, 'logs'), locks)
}

class BufferedLog implements RequestLog {
  readonly #folder: string
  readonly #locks: RequestLogOptions['locks']
  readonly #path: string
  readonly #waiting: Line[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #last: string | undefined
  #ready = false

  constructor(folder: string, locks: RequestLogOptions['locks']) {
    this.#folder = folder
    this.#locks = locks
    this.#path = join(folder, NAME)
    process.on('exit', this.#onExit)
    process.on('uncaughtExceptionMonitor', this.#onCrash)
  }

  note({ method, tool, durationMs, code }: Answered): void {
    this.#last = method
    if (this.#waiting.length >= MOST_WAITING) return
    const at = Date.now()
    this.#waiting.push(() => {
      const what = { request: crypto.randomUUID(), method, ...(tool !== undefined && { tool }) }
      return line(at, { ...what, duration_ms: Math.round(durationMs * 10) / 10, outcome: code ?? 'ok' })
    })
    this.#timer ??= setTimeout(() => this.#flush(), EVERY_MS).unref()
  }

  async close(): Promise<void> {
    await this.#flush()
    process.off('exit', this.#onExit)
    process.off('uncaughtExceptionMonitor', this.#onCrash)
  }

  /** One batch after the other, so that lines stay in order. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write()).catch(() => undefined)
    return this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const text = textOf(this.#waiting.splice(0, LINES_AT_ONCE))
      this.#prepare()
      if (this.#isFull(text)) await this.#rotate(text)
      await append(this.#path, text)
    }
  }

  /** A log that cannot be moved aside grows: better than one that says nothing. */
  async #rotate(text: string): Promise<void> {
    const { rotate } = await import('./rotate.ts')
    await rotate(this.#path, () => this.#isFull(text), await this.#locks()).catch(() => undefined)
  }

  #prepare(): void {
    if (this.#ready) return
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#ready = true
  }

  #isFull(text: string): boolean {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
    return size > 0 && size + text.length > LARGEST_BYTES
  }

  /** Whoever ends the process without closing: what is left has to go at once. */
  readonly #onExit = (): void => {
    try {
      const text = textOf(this.#waiting.splice(0))
      if (text === '') return
      this.#prepare()
      appendFileSync(this.#path, text, PRIVATE)
    } catch {
      // There is nobody left to tell.
    }
  }

  /** Other people's words stay out of it: only our own failures have a message that quotes nothing. */
  readonly #onCrash = (error: unknown): void => {
    const name = error instanceof Error ? error.name : typeof error
    const message = error instanceof Failure ? { message: error.message } : {}
    const last = this.#last === undefined ? {} : { last_method: this.#last }
    const at = Date.now()
    this.#waiting.push(() => line(at, { ...last, outcome: 'crash', error: name, ...message }))
    this.#onExit()
  }
}

const PRIVATE = { mode: 0o600, flag: 'a' } as const

function append(path: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    appendFile(path, text, PRIVATE, (error) => (error ? reject(error) : resolve()))
  })
}

/** Made when it is written: a first answer would otherwise wait for what makes ids to be loaded. */
type Line = () => string

function line(at: number, fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ time: new Date(at).toISOString(), ...fields })}\n`
}

function textOf(lines: readonly Line[]): string {
  return lines.map((make) => make()).join('')
}
