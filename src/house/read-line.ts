/** One line of what a person types, bounded. What follows it is left for the next question. */
import type { Readable } from 'node:stream'
import { Failure } from '../core/failure.ts'

const LONGEST = 16_384

export function readLine(input: Readable, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const settle = (work: () => void): void => {
      input.off('data', heard)
      input.off('end', ended)
      signal.removeEventListener('abort', gone)
      input.pause()
      work()
    }
    const heard = (chunk: Buffer | string): void => {
      text += chunk.toString()
      const end = text.indexOf('\n')
      if (end !== -1) settle(() => answer(text.slice(0, end).trim(), text.slice(end + 1)))
      else if (text.length > LONGEST) settle(() => reject(new Failure('too_large', 'that line is too long')))
    }
    const answer = (line: string, rest: string): void => {
      if (rest !== '') input.unshift(Buffer.from(rest))
      resolve(line)
    }
    const ended = (): void => settle(() => resolve(text.trim()))
    const gone = (): void => settle(() => reject(signal.reason))
    input.on('data', heard)
    input.once('end', ended)
    // A stream that was paused by an earlier question stays so until it is told.
    input.resume()
    signal.addEventListener('abort', gone, { once: true })
  })
}
