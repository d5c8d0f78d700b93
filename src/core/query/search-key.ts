/**
 * What a mail server's own search can be asked (RFC 3501, SEARCH).
 *
 * Texts are found anywhere, in the middle of a word too, whatever their letter case.
 */
export type SearchKey =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly of: readonly SearchKey[] }
  | { readonly kind: 'or'; readonly of: readonly SearchKey[] }
  | { readonly kind: 'not'; readonly of: SearchKey }
  /** `text` is header and body. */
  | { readonly kind: 'text' | 'body' | 'from' | 'to' | 'cc' | 'bcc' | 'subject'; readonly contains: string }
  | { readonly kind: 'header'; readonly name: 'Message-ID'; readonly contains: string }
  /** A system flag with its backslash, or a keyword: set, and not set. */
  | { readonly kind: 'flag' | 'unflag'; readonly flag: string }
  /** More bytes than, fewer bytes than; at most 4,294,967,295. */
  | { readonly kind: 'larger' | 'smaller'; readonly bytes: number }
  /** Received on or after, and before, a day: `YYYY-MM-DD`, in whatever time zone the server keeps. */
  | { readonly kind: 'since' | 'before'; readonly day: string }
