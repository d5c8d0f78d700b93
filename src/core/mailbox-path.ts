/**
 * Mailbox names and folder paths: a server separates levels as it likes, a path always with `/`.
 *
 * INVARIANT: one path stands for at most one name and the other way round, so that no second spelling leads past a policy.
 */

/**
 * How a caller writes folders: as its server does, as paths with `/` between the levels, or by what they are for
 * (`inbox`, `sent` …) with accounts by their address.
 */
export type FolderStyle = 'names' | 'paths' | 'places'

/** Where a name holds a slash that separates nothing, no policy can speak of it: this stands for it, and matches nothing. */
const UNSPEAKABLE = '\u0000'

export function pathOf(name: string, delimiter: string | undefined): string {
  if (delimiter === '/') return name
  const marked = name.replaceAll('/', UNSPEAKABLE)
  return delimiter === undefined ? marked : marked.replaceAll(delimiter, '/')
}

/** Undefined where no mailbox of that server can be meant. */
export function nameOf(path: string, delimiter: string | undefined): string | undefined {
  if (delimiter === '/') return path
  if (delimiter === undefined) return path.includes('/') ? undefined : path
  return path.includes(delimiter) ? undefined : path.replaceAll('/', delimiter)
}

/** INBOX alone is the same in any letter case. */
export function spelled<T extends { readonly mailbox: string }>(place: T): T {
  return /^inbox$/i.test(place.mailbox) ? { ...place, mailbox: 'INBOX' } : place
}
