/**
 * A program run to its end, fed through its input.
 *
 * INVARIANT: bounded in time and in what it may print; a program that goes over is killed, and it has ended when the call
 * settles. Rejects only where it could not be started.
 */
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

export interface Errands {
  readonly input: Uint8Array
  readonly env: Readonly<Record<string, string>>
  readonly mostBytes: number
  readonly patienceMs: number
}

export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly output: Uint8Array
  readonly errors: string
  /** Why it was killed, if we did. */
  readonly stopped: 'too_large' | 'too_slow' | undefined
}

const MOST_ERRORS_BYTES = 64 * 1024

export function run(program: string, options: readonly string[], errands: Errands): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { env: errands.env, stdio: 'pipe', windowsHide: true })
    let stopped: Ended['stopped']
    // A process that it left behind may hold its pipes, so they are let go of too.
    const stop = (why: Ended['stopped']) => {
      stopped ??= why
      child.kill('SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const impatience = setTimeout(stop, errands.patienceMs, 'too_slow')
    const output = collected(child.stdout, errands.mostBytes, () => stop('too_large'))
    const errors = collected(child.stderr, MOST_ERRORS_BYTES, () => stop('too_large'))
    child.on('error', (error) => {
      clearTimeout(impatience)
      reject(error)
    })
    child.on('close', (code) => {
      clearTimeout(impatience)
      resolve({ code, output: Buffer.concat(output), errors: Buffer.concat(errors).toString(), stopped })
    })
    child.stdin.on('error', () => {}) // it ended without reading all of it, and its exit code says why
    child.stdin.end(errands.input)
  })
}

function collected(stream: Readable, mostBytes: number, tooMuch: () => void): readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  let length = 0
  stream.on('data', (chunk: Uint8Array) => {
    length += chunk.length
    if (length > mostBytes) tooMuch()
    else chunks.push(chunk)
  })
  return chunks
}
