/**
 * Text from outside on one line of a terminal.
 *
 * INVARIANT: nothing in it can move the cursor, colour the terminal, end a line, change the direction of text or stay
 * unseen: such characters are written as escapes.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}\u2800]/gu

export function escaped(text: string): string {
  return text.replace(UNSEEN, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}

/** The same for JSON: it stays the JSON that it was. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )
}
