/** What every answer of the console says to the browser: nothing from elsewhere, in no frame, for no one else to read. */

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  // No text becomes markup, whatever the page does with it.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const ALWAYS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=(), display-capture=()',
}

/** What says nothing of its own about it is kept nowhere. */
export function guarded(response: Response): Response {
  for (const [name, value] of Object.entries(ALWAYS)) response.headers.set(name, value)
  if (!response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'no-store')
  return response
}
