/**
 * What a text says, as a row of numbers: words, numbers, mail addresses and links, each the same number wherever it is the same.
 *
 * INVARIANT: linear in the length of the text, whatever is in it: nothing is read twice. How lines are broken, how words are marked and
 * in which case they are written makes no difference.
 */

export type TokenKind = 'word' | 'number' | 'address' | 'link'

/** Side by side, since a text may have a million of them. */
export interface Tokens {
  /** Where each stands in the text. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly ids: readonly number[]
  readonly kinds: readonly TokenKind[]
}

/** Longer ones are no addresses. */
const LONGEST_ADDRESS = 320
/** As the text of a page shows a link: of longer ones only where they lead. */
const LONGEST_LINK = 2000

/** A link, a mark of a program, or whatever words and addresses are made of. */
const PIECE = /(?:https?:\/\/|www\.)[^\s<>"]+|mailto:|\[cid:[^\]\s]{1,200}\]|\[\d{1,3}\]|[\p{L}\p{N}\p{M}._%+@-]+/giu
const WEB = /^(?:https?:|www\.)/i
/** What programs put before addresses and in place of links and pictures. */
const MARK = /^(?:\[|mailto:)/i
const AFTER_LINK = /[).,;:!?\]}>'*_|]+$/
const ADDRESS = /^[^@]+@[^@]+$/
const AROUND_ADDRESS = /^[.%+-]+|[.%+_-]+$/g
const WORD = /[\p{L}\p{N}\p{M}]+/gu
const DIGITS = /^\p{N}+$/u
const ASCII = /^[\0-\x7f]*$/
/** Written without spaces, so that a line may break anywhere. */
const UNSPACED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u

/** Gives out the numbers; texts that are to be compared share one. */
export class Numbering {
  readonly #ids = new Map<string, number>()

  get size(): number {
    return this.#ids.size
  }

  idOf(key: string): number {
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#ids.size + 1
    this.#ids.set(key, id)
    return id
  }
}

export function tokensOf(text: string, numbering: Numbering): Tokens {
  const row = new Row(numbering)
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (WEB.test(piece)) row.link(piece, index)
    else if (!MARK.test(piece)) readPiece(row, piece, index)
  }
  return row
}

function readPiece(row: Row, piece: string, start: number): void {
  if (piece.length <= LONGEST_ADDRESS && ADDRESS.test(piece)) {
    const address = piece.replace(AROUND_ADDRESS, '')
    row.add(start + piece.indexOf(address), address, 'address')
    return
  }
  for (const { 0: word, index } of piece.matchAll(WORD)) {
    if (!ASCII.test(word) && UNSPACED.test(word)) row.characters(word, start + index)
    else row.add(start + index, word, DIGITS.test(word) ? 'number' : 'word')
  }
}

class Row implements Tokens {
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly ids: number[] = []
  readonly kinds: TokenKind[] = []
  readonly #numbering: Numbering

  constructor(numbering: Numbering) {
    this.#numbering = numbering
  }

  add(start: number, written: string, kind: TokenKind, key = folded(written)): void {
    this.starts.push(start)
    this.ends.push(start + written.length)
    this.ids.push(this.#numbering.idOf(key))
    this.kinds.push(kind)
  }

  characters(run: string, start: number): void {
    let at = start
    for (const character of run) {
      this.add(at, character, 'word', character)
      at += character.length
    }
  }

  link(written: string, start: number): void {
    const address = written.replace(AFTER_LINK, '')
    this.add(start, address, 'link', linkKey(address))
  }
}

function folded(word: string): string {
  return ASCII.test(word) ? word.toLowerCase() : word.normalize('NFKC').toLowerCase()
}

function linkKey(address: string): string {
  const whole = /^www\./i.test(address) ? `http://${address}` : address
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  if (url === undefined) return address
  const href = url.href.length > LONGEST_LINK ? `${url.origin}/…` : url.href
  return href.replace(/^https?:\/\/(?:www\.)?/, '').replace(/[/#]+$/, '')
}
