/** The cookie that a session is known by. */

export const COOKIE = 'postern_console'

/** Undefined where there is none, or several: then one of them was put there by somebody else. */
export function secretIn(header: string | undefined): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${COOKIE}=`))
    .map((pair) => pair.slice(COOKIE.length + 1))
  return values.length === 1 ? values[0] : undefined
}

/** Scripts cannot read it, no other site can have it sent, and `/mcp` never sees it. */
export function cookieText(secret: string, seconds: number, isSecure: boolean): string {
  const safe = isSecure ? '; Secure' : ''
  return `${COOKIE}=${secret}; HttpOnly; SameSite=Strict; Path=/console; Max-Age=${seconds}${safe}`
}
