/** What the console is told of the content of an outgoing message. */
/** Its pieces in their order, and all of its source. */
export interface HtmlVersion {
  readonly pieces: readonly HtmlPiece[]
  readonly source: string
  /** It shows what the text says. */
  readonly isSameText: boolean
}

export interface HtmlPiece {
  readonly kind:
    | 'text'
    | 'hidden'
    | 'uncertain'
    | 'link'
    | 'load'
    | 'attribute'
    | 'comment'
    | 'style'
    | 'look'
    | 'script'
  readonly label: string
  readonly text: string
}

export interface Unseen {
  readonly what: string
  readonly text: string
  readonly count: number
}

/** How a person makes another version of a message. */
export interface Version {
  readonly of: string
  readonly by: string
  readonly how: 'plain_text' | 'without_hidden'
}
