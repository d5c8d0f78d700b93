/** The password that `postern setup` is handed: a single line of a file, or of stdin. */
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Failure } from '../core/failure.ts'

const MOST_SECRET_BYTES = 16_384

/** `-` is stdin. */
export function readPassword(path: string, stdin: Readable, signal: AbortSignal): Promise<string> {
  return path === '-' ? secretFrom(stdin, signal) : secretIn(path)
}

async function secretIn(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      if (size > MOST_SECRET_BYTES) throw new Failure('too_large', 'the file with the password is too large')
      return trimmed(await file.readFile('utf8'))
    } finally {
      await file.close()
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('invalid_input', 'the file with the password cannot be read', { cause })
  }
}

async function secretFrom(input: Readable, signal: AbortSignal): Promise<string> {
  let text = ''
  for await (const chunk of input) {
    signal.throwIfAborted()
    text += String(chunk)
    if (text.length > MOST_SECRET_BYTES) throw new Failure('too_large', 'what stdin holds is too long for a password')
  }
  return trimmed(text)
}

function trimmed(text: string): string {
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '' || /[\r\n\0]/.test(secret)) {
    throw new Failure('invalid_input', 'the password must be a single line that is not empty')
  }
  return secret
}
