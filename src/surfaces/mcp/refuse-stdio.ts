/**
 * What a client hears from a server that cannot start: the reason, as the answer to its first request.
 *
 * INVARIANT: one answer, in the client's framing, or none if it never asks. Loads no library: it must work when
 * nothing else does.
 */
import { FrameReader, frame } from './framing.ts'
import { errorText, type RequestId, requestIdOf } from './json-rpc.ts'
import type { Streams } from './stdio.ts'

const CANNOT_START = -32002

/** Resolves when the answer has left, or when there is nobody to answer; the process should then exit with 1. */
export async function refuseStdio(
  { input, output }: Streams,
  message: string,
  code: number = CANNOT_START,
  reason?: string,
): Promise<void> {
  // A person at a terminal has already read it on stderr.
  if ('isTTY' in input && input.isTTY === true) return
  const reader = new FrameReader()
  const id = await firstRequest(input, reader)
  // Nothing else that is sent matters, and an open stdin would keep the process alive.
  input.destroy()
  if (id === undefined) return
  const { promise, resolve } = Promise.withResolvers<void>()
  output.once('error', () => resolve())
  output.write(
    frame(errorText(id, code, message, reason === undefined ? undefined : { code: reason }), reader.framing),
    () => resolve(),
  )
  await promise
}

function firstRequest(input: Streams['input'], reader: FrameReader): Promise<RequestId | undefined> {
  return new Promise((resolve) => {
    const ended = (): void => resolve(undefined)
    input.once('end', ended).once('close', ended).once('error', ended)
    input.on('data', (chunk: Buffer) => {
      const id = reader
        .push(chunk)
        .map(idOf)
        .find((found) => found !== undefined)
      if (id !== undefined) resolve(id)
    })
  })
}

function idOf(read: ReturnType<FrameReader['push']>[number]): RequestId | undefined {
  if (read.kind !== 'message') return undefined
  try {
    return requestIdOf(JSON.parse(read.text))
  } catch {
    return undefined
  }
}
