/** Whether somebody could listen at an address, and if not, whether that is because a Postern already does. */
import { createServer } from 'node:net'

export type PortState = 'free' | 'ours' | 'taken' | 'forbidden' | 'no_such_address'

const ANSWER_MS = 2000

export async function lookAtPort(host: string, port: number, signal: AbortSignal): Promise<PortState> {
  const refusal = await tryToListen(host, port)
  if (refusal === undefined) return 'free'
  if (refusal === 'EACCES' || refusal === 'EPERM') return 'forbidden'
  if (refusal !== 'EADDRINUSE') return 'no_such_address'
  return (await isPostern(host, port, signal)) ? 'ours' : 'taken'
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'EIO'))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** What it tells everybody of itself: a knock at its door without a token would stand in its record. */
async function isPostern(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  const address = `http://${nameOf(host)}:${port}/.well-known/oauth-protected-resource`
  const stop = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  try {
    const answer = await fetch(address, { signal: stop, redirect: 'manual' })
    const { resource_name: name }: { resource_name?: unknown } = Object(await answer.json())
    return name === 'Postern'
  } catch {
    return false
  }
}

/** Whether anybody answers there at all, whatever the answer; where a Postern does, it is one that it keeps no record of. */
export async function answersAt(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    await fetch(new URL('/health', url), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      redirect: 'manual',
    })
    return true
  } catch {
    return false
  }
}

/** What listens everywhere is reached here; an IPv6 address stands in brackets. */
function nameOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
