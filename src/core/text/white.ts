/** White space of whatever kind and length, as one space. */

// Not a single space: most white space is one already, and need not be replaced by itself.
const WHITE = /[^\S ]\s*| \s+/g

export function foldWhite(text: string): string {
  return text.replace(WHITE, ' ')
}
