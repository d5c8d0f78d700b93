/**
 * Which pages may send requests to `/mcp`, told by the Origin header.
 *
 * INVARIANT: a page on another port of this machine is another origin, and is refused unless it is configured. What sends no
 * Origin is no page.
 */
export interface OriginSettings {
  /** Names under which this server answers on its own port: loopback and the address it listens on. */
  readonly names: readonly string[]
  readonly port: number
  /** Names under which a proxy in front of it answers, on the usual ports. */
  readonly proxies: readonly string[]
  /** Further origins, as a browser writes them: `https://app.example.com`. */
  readonly allowed: readonly string[]
}

export function originCheck({
  names,
  port,
  proxies,
  allowed,
}: OriginSettings): (origin: string | undefined) => boolean {
  const own = [
    ...names.map((name) => `http://${name}:${port}`),
    ...proxies.flatMap((name) => [`https://${name}`, `http://${name}`, `http://${name}:${port}`]),
  ]
  // Browsers leave out the usual port of a scheme.
  const known = new Set([...own.flatMap((text) => URL.parse(text)?.origin ?? []), ...allowed])
  return (origin) => origin === undefined || known.has(origin.toLowerCase())
}
