/**
 * What a reader of mail is shown, and warned about.
 *
 * INVARIANT: the text of a `Readable` holds nothing that a person looking at the message could not have seen, and nothing that
 * changes how the text around it is displayed; what was taken out is counted in its warnings. What a person may or may not see
 * is apart from it.
 */
export type WarningKind =
  | 'hidden_text_removed'
  | 'uncertain_text'
  | 'invisible_characters_removed'
  | 'direction_controls_removed'
  | 'control_characters_removed'
  | 'blank_flood_folded'
  | 'deceptive_characters'
  | 'remote_content_removed'
  | 'active_content_removed'
  | 'suspicious_link'
  | 'sender_suspicious'
  | 'reply_to_differs'
  | 'duplicate_header'
  | 'alternatives_differ'
  | 'instructions_for_ai'
  | 'content_incomplete'
  | 'no_readable_text'

export interface Warning {
  readonly kind: WarningKind
  readonly count: number
  /** What it concerns, in our own words: `numbers`, `links`. */
  readonly about?: readonly string[]
}

/** `alternatives differ (4): numbers, links`: how a warning reads in every answer. */
export function describeWarning({ kind, count, about = [] }: Warning): string {
  const what = `${kind.replaceAll('_', ' ')} (${count})`
  return about.length === 0 ? what : `${what}: ${about.join(', ')}`
}

/** One warning per kind, counts added up, in the order first seen. */
export function mergeWarnings(...lists: readonly (readonly Warning[])[]): Warning[] {
  const merged = new Map<WarningKind, Warning>()
  for (const { kind, count, about = [] } of lists.flat()) {
    const known = merged.get(kind)
    const all = [...new Set([...(known?.about ?? []), ...about])]
    merged.set(kind, { kind, count: (known?.count ?? 0) + count, ...(all.length > 0 && { about: all }) })
  }
  return [...merged.values()].filter(({ count }) => count > 0)
}

/** Encoded bytes of text that are looked at of one message. Pictures inside of a page may take most of them. */
export const MOST_ENCODED_TEXT = 8 * 1024 * 1024
/** Characters of visible text of one message that are searched. */
export const MOST_SEARCHED_CHARS = 1024 * 1024

export interface Readable {
  readonly text: string
  /** Text that a person may not see, a piece a line; bounded as `text` is. It is never part of `text`. */
  readonly uncertain: string
  readonly truncated: boolean
  readonly warnings: readonly Warning[]
}

export interface SafeHtml {
  readonly html: string
  readonly truncated: boolean
}

/** What a caller is given of uncertain text: the text, or only how many pieces of it there are. */
export type UncertainChoice = 'mark' | 'omit'

/** What one answer shows of an uncertain text. */
export interface UncertainPage {
  readonly text: string
  /** Where the rest begins, and how many characters that is; absent where there is no more. */
  readonly next?: { readonly offset: number; readonly remaining: number }
}
