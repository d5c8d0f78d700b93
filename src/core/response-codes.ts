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

const REASONS: Readonly<Record<string, string>> = {
  OVERQUOTA: 'the mailbox is full (over its quota)',
  NOPERM: 'the mail server does not permit that to this account',
  LIMIT: 'a limit of the mail server was reached',
  TOOBIG: 'the message is larger than the mail server accepts',
  BADCHARSET: 'the mail server cannot search for text other than ASCII',
  CANNOT: 'the mail server cannot do that',
  UNAVAILABLE: 'the mail server says that it is unavailable for the moment',
  INUSE: 'the mailbox is in use by another program for the moment',
}

/** Why a server refused, in our words: `reasonOf('OVERQUOTA')`. Absent where the code says too little. */
export function reasonOf(code: string | undefined): string | undefined {
  return code === undefined ? undefined : REASONS[code]
}
