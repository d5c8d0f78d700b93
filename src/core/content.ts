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
  | 'content_incomplete'
  | 'no_readable_text'

export interface Warning {
  readonly kind: WarningKind
  readonly count: number
}

/** `hidden text removed (4)`: how a warning reads in every answer. */
export function describeWarning({ kind, count }: Warning): string {
  return `${kind.replaceAll('_', ' ')} (${count})`
}

/** One warning per kind, counts added up, in the order first seen. */
export function mergeWarnings(...lists: readonly (readonly Warning[])[]): Warning[] {
  const counts = new Map<WarningKind, number>()
  for (const { kind, count } of lists.flat()) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return [...counts].filter(([, count]) => count > 0).map(([kind, count]) => ({ kind, count }))
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
