/** The port on which HTTP would be served. */
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { PortLook } from '../world.ts'

export const portCheck: Check = {
  name: 'port',
  looksAt: 'the port on which HTTP would be served',
  run: async (world, signal) => [findingOf(await world.port(signal))],
}

function findingOf({ host, port, state, isWanted }: PortLook): Finding {
  const where = `${host}:${port}`
  // Who is only ever reached over stdio has no use for it.
  const bad = isWanted ? broken : warning
  if (state === 'free') return ok(`${where} is free`)
  if (state === 'ours') return ok(`a Postern answers at ${where}`)
  if (state === 'taken') {
    const cure = `serve on another: postern --transport http --port ${otherThan(port)} (or set IMAP_MCP_HTTP_PORT)`
    return bad(`another program listens at ${where}`, cure)
  }
  if (state === 'forbidden') {
    const cure = `serve on one above 1023: postern --transport http --port 8025 (or set IMAP_MCP_HTTP_PORT)`
    return bad(`this user may not listen at ${where}`, cure)
  }
  return bad(`${host} is no address of this machine`, 'set IMAP_MCP_HTTP_HOST to 127.0.0.1')
}

function otherThan(port: number): number {
  return port < 65_535 ? port + 1 : port - 1
}
