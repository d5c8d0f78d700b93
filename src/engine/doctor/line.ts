/** What can be seen of the line to a server before anybody logs in. */
export type Line =
  | { readonly kind: 'open'; readonly certificateUntil?: number }
  | { readonly kind: Exclude<LineFault, 'expired' | 'not_yet'> }
  /** Milliseconds since 1970: when the certificate ended, or will begin. */
  | { readonly kind: 'expired' | 'not_yet'; readonly at: number }

export type LineFault =
  | 'no_such_host'
  | 'refused'
  | 'unreachable'
  /** The connection stands and nothing comes. */
  | 'silent'
  /** What comes is no TLS, or not the protocol that was expected. */
  | 'not_tls'
  | 'no_starttls'
  | 'not_trusted'
  | 'other_name'
  | 'expired'
  | 'not_yet'
