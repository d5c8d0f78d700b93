/**
 * Whether a text holds a long run of some kind of character, which hardly any does.
 *
 * INVARIANT: exact, and linear in the size of the text. A run of `least` stands across one of every `least` places: only
 * those, and what is beside those that are of the kind, are looked at.
 */
export function hasRun(text: string, least: number, isOfKind: (code: number) => boolean): boolean {
  for (let at = least - 1; at < text.length; at += least) {
    if (!isOfKind(text.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isOfKind(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end - start < least && end < text.length && isOfKind(text.charCodeAt(end))) end++
    if (end - start >= least) return true
  }
  return false
}
