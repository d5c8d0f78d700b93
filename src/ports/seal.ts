/**
 * Makes tokens that only we can have made, and only we can read.
 *
 * Promises: any process of this data directory opens what another one sealed; `open` throws `Failure('invalid_input')`
 * for anything that was changed, cut or made elsewhere. Whoever holds a token learns of the text its length at most.
 */
export interface Seal {
  seal(text: string): Promise<string>
  open(token: string): Promise<string>
  /** SHA-256, hex; a text counts as its UTF-8. */
  digest(content: string | Uint8Array): string
}
