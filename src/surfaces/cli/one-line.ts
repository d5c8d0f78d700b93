/** One line from a stream, bounded: what a person types or pastes. The stream is left as it was found, but for that line. */
import type { Readable } from 'node:stream'
import { Failure } from '../../core/failure.ts'

const LONGEST_LINE = 16_384

export function readOneLine(stream: Readable, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const finish = (settle: () => void): void => {
      stream.off('data', onData).off('end', onEnd).off('error', onEnd)
      signal.removeEventListener('abort', onAbort)
      stream.pause()
      settle()
    }
    const onData = (chunk: Buffer | string): void => {
      text += chunk.toString()
      const end = text.search(/[\r\n]/)
      if (end >= 0) finish(() => resolve(text.slice(0, end)))
      else if (text.length > LONGEST_LINE) finish(() => reject(new Failure('too_large', 'that line is too long')))
    }
    const onEnd = (): void => finish(() => resolve(text))
    const onAbort = (): void => finish(() => reject(signal.reason))
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    signal.addEventListener('abort', onAbort, { once: true })
    stream.on('data', onData).on('end', onEnd).on('error', onEnd)
  })
}
