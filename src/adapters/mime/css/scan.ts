/**
 * The tokens of CSS that decide where its pieces begin and end.
 *
 * INVARIANT: linear in the size of the input, never throws; comments, strings, brackets, `url(…)` and escapes are
 * followed as browsers follow them, for a piece that we cut elsewhere than they do could show what they hide.
 */

export interface Segment {
  /** Without comments, escapes still in it. */
  readonly text: string
  /** What ended it; `''` is the end of the input. */
  readonly end: ';' | '{' | '}' | ''
}

/** Cuts a style sheet at `;`, `{` and `}`. */
export class SegmentReader {
  readonly #css: string
  #at = 0
  /** Comments met so far, for whoever looks for text hidden in them. */
  readonly comments: string[] = []

  constructor(css: string) {
    this.#css = css
  }

  /** Old mail wraps its sheets in HTML comment marks: between rules they are blanks. */
  skipCommentMarks(): void {
    for (;;) {
      while (/\s/.test(this.#css[this.#at] ?? '')) this.#at++
      if (this.#css.startsWith('<!--', this.#at)) this.#at += 4
      else if (this.#css.startsWith('-->', this.#at)) this.#at += 3
      else return
    }
  }

  /** At the top level a `;` ends only at-rules, and a stray `}` nothing. */
  next(topLevel: boolean, semicolonEnds = !topLevel): Segment | undefined {
    if (this.#at >= this.#css.length) return undefined
    const pieces: string[] = []
    let from = this.#at
    const brackets: string[] = []
    let atRule: boolean | undefined
    while (this.#at < this.#css.length) {
      const char = this.#css[this.#at] ?? ''
      if (char === '/' && this.#css[this.#at + 1] === '*') {
        pieces.push(this.#css.slice(from, this.#at), ' ')
        this.#skipComment()
        from = this.#at
        continue
      }
      if (atRule === undefined && !/\s/.test(char)) atRule = char === '@'
      if (brackets.length === 0 && ends(char, semicolonEnds || atRule === true, !topLevel)) {
        pieces.push(this.#css.slice(from, this.#at))
        this.#at++
        return { text: pieces.join(''), end: char }
      }
      this.#step(char, brackets)
    }
    pieces.push(this.#css.slice(from, this.#at))
    return { text: pieces.join(''), end: '' }
  }

  #step(char: string, brackets: string[]): void {
    if (char === '\\') this.#at += 2
    else if (char === '"' || char === "'") this.#at = afterString(this.#css, this.#at)
    else if (char === '(' && isUrl(this.#css, this.#at)) this.#at = afterUrl(this.#css, this.#at)
    else {
      if (char === '(') brackets.push(')')
      else if (char === '[') brackets.push(']')
      else if (char === '{') brackets.push('}')
      else if (brackets.length > 0 && char === brackets[brackets.length - 1]) brackets.pop()
      this.#at++
    }
  }

  #skipComment(): void {
    const end = this.#css.indexOf('*/', this.#at + 2)
    this.comments.push(this.#css.slice(this.#at + 2, end === -1 ? undefined : end))
    this.#at = end === -1 ? this.#css.length : end + 2
  }
}

function ends(char: string, semicolonEnds: boolean, braceEnds: boolean): char is ';' | '{' | '}' {
  return char === '{' || (char === '}' && braceEnds) || (char === ';' && semicolonEnds)
}

/** A string ends at its quote, or broken at the end of the line. */
function afterString(css: string, start: number): number {
  const quote = css[start]
  for (let at = start + 1; at < css.length; at++) {
    const char = css[at]
    if (char === '\\') at++
    else if (char === quote) return at + 1
    else if (char === '\n' || char === '\r' || char === '\f') return at
  }
  return css.length
}

/** `url(` whose content is not quoted is one token, whatever stands in it. */
function isUrl(css: string, open: number): boolean {
  if (css.slice(Math.max(0, open - 3), open).toLowerCase() !== 'url') return false
  let at = open + 1
  while (at < css.length && /\s/.test(css[at] ?? '')) at++
  return css[at] !== '"' && css[at] !== "'"
}

function afterUrl(css: string, open: number): number {
  for (let at = open + 1; at < css.length; at++) {
    if (css[at] === '\\') at++
    else if (css[at] === ')') return at + 1
  }
  return css.length
}

/** `d\69splay` is `display`. */
export function unescapeCss(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\r\n\f])|([\s\S]))/gi, (_, hex, line, char) => {
    if (hex !== undefined) return fromCode(Number.parseInt(hex, 16))
    return line === undefined ? char : ''
  })
}

function fromCode(code: number): string {
  const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return valid ? String.fromCodePoint(code) : '\uFFFD'
}

/** `scale(0) rotate(calc(1deg))`: the functions of a value, brackets inside of them left as they are. */
export function functionsOf(value: string): { readonly name: string; readonly parts: readonly string[] }[] {
  return splitTopLevel(value, ' ').flatMap((word) => {
    const open = word.indexOf('(')
    if (open <= 0 || !word.endsWith(')')) return []
    const inside = word.slice(open + 1, -1)
    const parts = splitTopLevel(inside, ',').flatMap((part) => splitTopLevel(part.trim(), ' '))
    return [{ name: word.slice(0, open), parts: parts.filter((part) => part !== '') }]
  })
}

/** Splits at a character that stands outside of strings and brackets. */
export function splitTopLevel(text: string, separator: string): string[] {
  if (!text.includes(separator)) return [text]
  const parts: string[] = []
  let from = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '"' || char === "'") at = afterString(text, at) - 1
    else if (char === '(' || char === '[' || char === '{') depth++
    else if ((char === ')' || char === ']' || char === '}') && depth > 0) depth--
    else if (char === separator && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}
