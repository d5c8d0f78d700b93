/**
 * The IMAP response codes that are passed on to callers and operators.
 *
 * INVARIANT: a closed list. A server chooses its words freely, so a code that is not listed here is never repeated.
 */

/** RFC 5530, and of RFC 3501, 4315 and 4469 those that can explain why a message was not read, copied or stored. */
const RESPONSE_CODES: ReadonlySet<string> = new Set([
  ...['UNAVAILABLE', 'AUTHENTICATIONFAILED', 'AUTHORIZATIONFAILED', 'EXPIRED', 'PRIVACYREQUIRED', 'CONTACTADMIN'],
  ...['NOPERM', 'INUSE', 'EXPUNGEISSUED', 'CORRUPTION', 'SERVERBUG', 'CLIENTBUG', 'CANNOT', 'LIMIT', 'OVERQUOTA'],
  ...['ALREADYEXISTS', 'NONEXISTENT', 'TRYCREATE', 'READ-ONLY', 'PARSE', 'BADCHARSET', 'TOOBIG', 'UIDNOTSTICKY'],
])

export function knownResponseCode(name: string | undefined): string | undefined {
  const code = name?.toUpperCase()
  return code !== undefined && RESPONSE_CODES.has(code) ? code : undefined
}
