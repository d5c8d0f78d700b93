/** Where a request comes from, as a browser tells it. */

/** Whether the page that sent it is one of this server's own, as the request names it. */
export function isOurs(origin: string | undefined, host: string | undefined): boolean {
  const from = origin === undefined ? null : URL.parse(origin)
  if (from === null || host === undefined || from.origin !== origin) return false
  if (from.protocol !== 'http:' && from.protocol !== 'https:') return false
  // A proxy that takes care of TLS hands on the name that the browser used.
  return URL.parse(`${from.protocol}//${host}`)?.host === from.host
}

/** Browsers say so by themselves; what is no browser says nothing. */
export function isFromElsewhere(fetchSite: string | undefined): boolean {
  return fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none'
}
