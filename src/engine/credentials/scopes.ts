/** What scopes allow, and how two of them differ. */

/** Who somebody is, and that access lasts: they say nothing about mail. */
const NEUTRAL = new Set([
  ...['openid', 'email', 'profile', 'offline_access', 'offline'],
  ...['https://www.googleapis.com/auth/userinfo.email', 'https://www.googleapis.com/auth/userinfo.profile'],
])

/** `…/gmail.readonly`, `gmail.metadata`, `Mail.Read`, `imap:read`; sending alone changes nothing in a mailbox either. */
const CHANGES_NOTHING = /(^|[/.:_-])(read[-_]?only|read|metadata|send)$/i

export function scopesOf(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((scope) => scope !== ''))].sort()
}

/** One spelling for each set of scopes. */
export function normalScope(text: string): string {
  return scopesOf(text).join(' ')
}

/** False only where something says so: a provider's scopes that we do not know are left to the provider. */
export function scopeMayWrite(text: string): boolean {
  const mail = mailScopes(text)
  return mail.length === 0 || mail.some((scope) => !CHANGES_NOTHING.test(scope))
}

export interface ScopeDifference {
  /** Asked for and not granted. */
  readonly missing: readonly string[]
  /** Granted and not asked for. */
  readonly extra: readonly string[]
}

/** Of what concerns mail: providers add and leave out the rest as they please. */
export function compareScopes(asked: string, granted: string): ScopeDifference {
  const [wanted, given] = [mailScopes(asked), mailScopes(granted)]
  return {
    missing: wanted.filter((scope) => !given.includes(scope)),
    extra: given.filter((scope) => !wanted.includes(scope)),
  }
}

/** Whether anything at all was asked for and nothing of it given. */
export function nothingGranted(asked: string, granted: string): boolean {
  const wanted = mailScopes(asked)
  return wanted.length > 0 && compareScopes(asked, granted).missing.length === wanted.length
}

function mailScopes(text: string): string[] {
  return scopesOf(text).filter((scope) => !NEUTRAL.has(scope))
}
