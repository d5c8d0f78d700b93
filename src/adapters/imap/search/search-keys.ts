/**
 * A tree of what to look for as SEARCH keys.
 *
 * INVARIANT: typed pieces only; every key is one piece, a list where it has several words, so that they bind as the tree
 * says. Empty AND is everything, empty OR nothing. NOT stands before texts and flags only: Dovecot forgets it where it
 * puts days together (`NOT BEFORE` twice).
 */
import { Failure } from '../../../core/failure.ts'
import type { SearchKey } from '../../../core/query/search-key.ts'
import { day, fieldName, flag, keyword, type Piece, size, text, uidSet } from '../wire/command.ts'

/** Keys within keys beyond this are no search that anybody wrote. */
const DEEPEST = 100
const ASCII = /^\p{ASCII}*$/u
/** The largest uid that can be written: even where a message has it, the second key does not hold. */
const NONE: Piece = [keyword('UID'), uidSet('4294967295'), keyword('NOT'), keyword('ALL')]
const WORDS = { text: 'TEXT', body: 'BODY', from: 'FROM', to: 'TO', cc: 'CC', bcc: 'BCC', subject: 'SUBJECT' } as const
const SYSTEM = new Map(
  (['SEEN', 'ANSWERED', 'FLAGGED', 'DRAFT', 'DELETED'] as const).map((word) => [`\\${word.toLowerCase()}`, word]),
)

export function keyPiece(key: SearchKey, negated = false, depth = 0): Piece {
  if (depth > DEEPEST) throw new Failure('invalid_input', 'a search is nested too deeply')
  const inner = (one: SearchKey): Piece => keyPiece(one, negated, depth + 1)
  switch (key.kind) {
    case 'all':
    case 'none':
      return (key.kind === 'all') === negated ? NONE : keyword('ALL')
    case 'and':
    case 'or':
      return (key.kind === 'and') === negated
        ? anyOf(key.of.map((one) => apart(one, inner(one), negated)))
        : allOf(key.of.map(inner))
    case 'not':
      return keyPiece(key.of, !negated, depth + 1)
    case 'flag':
    case 'unflag':
      return flagKey(key.flag, (key.kind === 'flag') !== negated)
    case 'larger':
      return negated ? smaller(Math.floor(key.bytes) + 1) : larger(key.bytes)
    case 'smaller':
      return negated ? larger(Math.ceil(key.bytes) - 1) : smaller(key.bytes)
    case 'since':
    case 'before':
      return [keyword((key.kind === 'since') === negated ? 'BEFORE' : 'SINCE'), day(key.day)]
    case 'header':
      return unless(negated, [keyword('HEADER'), fieldName(key.name), text(wellFormed(key.contains))])
    default:
      return unless(negated, [keyword(WORDS[key.kind]), text(wellFormed(key.contains))])
  }
}

function unless(negated: boolean, piece: Piece): Piece {
  return negated ? [keyword('NOT'), piece] : piece
}

function allOf(pieces: readonly Piece[]): Piece {
  return pieces.length === 0 ? keyword('ALL') : pieces
}

/** Dovecot 2.3 puts the lack of two flags together and then leaves out what comes before the first unseen: not with this between. */
function apart(key: SearchKey, piece: Piece, negated: boolean): Piece {
  return key.kind === (negated ? 'flag' : 'unflag') ? [keyword('UID'), uidSet('1:4294967295'), piece] : piece
}

/** OR takes two; halves keep the nesting shallow. */
function anyOf(pieces: readonly Piece[]): Piece {
  const [first = NONE] = pieces
  if (pieces.length <= 1) return first
  const half = pieces.length >> 1
  return [keyword('OR'), anyOf(pieces.slice(0, half)), anyOf(pieces.slice(half))]
}

function flagKey(name: string, set: boolean): Piece {
  const system = SYSTEM.get(name.toLowerCase())
  if (system !== undefined) return unless(!set, keyword(system))
  // `\\Recent` and other flags of the server's own are on no message.
  if (name.startsWith('\\')) return set ? NONE : keyword('ALL')
  return unless(!set, [keyword('KEYWORD'), flag(name)])
}

/** Every message is larger than a number below 0, which cannot be written. */
function larger(bytes: number): Piece {
  return bytes < 0 ? keyword('ALL') : [keyword('LARGER'), size(Math.floor(bytes))]
}

function smaller(bytes: number): Piece {
  return bytes <= 0 ? NONE : [keyword('SMALLER'), size(Math.ceil(bytes))]
}

/** Whether some text is not ASCII, so that the server must be told the charset. */
export function holdsUtf8(key: SearchKey): boolean {
  if (key.kind === 'and' || key.kind === 'or') return key.of.some(holdsUtf8)
  if (key.kind === 'not') return holdsUtf8(key.of)
  return 'contains' in key && !ASCII.test(key.contains)
}

export function wellFormed(value: string): string {
  if (value.isWellFormed()) return value
  throw new Failure('invalid_input', 'a search term holds half a character')
}
