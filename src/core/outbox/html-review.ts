/**
 * What the HTML version of an outgoing message holds, piece by piece, in the order of its source.
 *
 * INVARIANT: every text, comment, link, load and telling attribute of the HTML is in a piece, whether or not a recipient would see
 * it. A review decides only how a piece is marked, never whether it is shown.
 */
export type HtmlPieceKind =
  /** Text that a recipient sees. */
  | 'text'
  /** Text that a recipient does not see. */
  | 'hidden'
  /** Text that could not be judged: a recipient may not see it. */
  | 'uncertain'
  | 'link'
  /** Something that a mail program fetches when the message is opened. */
  | 'load'
  | 'attribute'
  | 'comment'
  /** A style sheet that may hold more than how the page looks. */
  | 'style'
  /** One that does not. */
  | 'look'
  | 'script'

export interface HtmlPiece {
  readonly kind: HtmlPieceKind
  readonly text: string
  /** Where it stands: an element, or an element and its attribute. */
  readonly name?: string
}

export interface HtmlReview {
  readonly pieces: readonly HtmlPiece[]
  /** False where it could not be judged what of it is hidden. */
  readonly isJudged: boolean
  /** Links whose text names another address than theirs. */
  readonly misleadingLinks: number
}

/** For HTML that could not be read: all of it, with its character references resolved as far as they are plain. */
export function unjudged(html: string): HtmlReview {
  return { pieces: [{ kind: 'uncertain', text: resolved(html) }], isJudged: false, misleadingLinks: 0 }
}

/** The text that a recipient sees. */
export function visibleIn({ pieces }: HtmlReview): string {
  return pieces
    .map(({ kind, text }) => (kind === 'text' ? text : ' '))
    .join('')
    .trim()
}

const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }))
const REFERENCE = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));?/gi

function resolved(html: string): string {
  return html.replace(REFERENCE, (whole, named?: string, decimal?: string, hex?: string) => {
    if (named !== undefined) return NAMED.get(named.toLowerCase()) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
