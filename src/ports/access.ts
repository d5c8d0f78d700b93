/**
 * How an account logs in.
 *
 * Promises: `credentials` is asked anew for every connection and gives what is valid now; where access has to be granted
 * anew by a person it throws `Failure('auth_failed')` whose message names the command that does it. Several calls at once
 * cost one refresh. `standing` never throws and, while access is in order, does no I/O beyond the first look at what was
 * noted before; while it is not, it looks whether a person has granted it in the meantime.
 */
export interface Access {
  credentials(signal: AbortSignal): Promise<Credentials>
  standing(): Promise<Standing>
  /**
   * A server refused what `credentials` gave: it is not used again. Only the server of the mailbox can put the account
   * aside; what the sending server refuses never stops reading.
   */
  refused(credentials: Credentials, by?: 'mailbox' | 'sending'): Promise<void>
}

export type Credentials =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'token'; readonly accessToken: string }

export interface Standing {
  readonly state: 'active' | 'needs_rebootstrap'
  /** False where the granted scope only reads. */
  readonly mayWrite: boolean
}
