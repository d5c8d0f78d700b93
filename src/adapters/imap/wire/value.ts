/**
 * What an IMAP server's answer is made of. Strings stay bytes: only whoever knows what they mean may decode them.
 *
 * Atoms and quoted strings have a character for each byte: they come in hundred thousands, and a buffer each is large.
 */

export type Value =
  | { readonly kind: 'atom'; readonly text: string }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'string'; readonly bytes: Uint8Array }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'nil' }

export type Status = 'OK' | 'NO' | 'BAD' | 'BYE' | 'PREAUTH'

/** `[UIDVALIDITY 12]` is the name `UIDVALIDITY` and the rest `12`. */
export interface ResponseCode {
  readonly name: string
  readonly rest: string
}

export interface StatusResponse {
  readonly kind: 'status'
  /** `*` where the server speaks unasked. */
  readonly tag: string
  readonly status: Status
  readonly code: ResponseCode | undefined
  readonly text: string
}

export interface DataResponse {
  readonly kind: 'data'
  /** `FETCH`, `LIST`, `EXISTS` …, upper case. */
  readonly name: string
  /** The number before the name, as in `* 12 EXISTS`. */
  readonly number: number | undefined
  readonly values: readonly Value[]
}

/** `* SEARCH` and `* SORT` can be very long, so they are read without a value for each number. */
export interface NumbersResponse {
  readonly kind: 'numbers'
  readonly name: 'SEARCH' | 'SORT'
  readonly numbers: readonly number[]
}

export type Response = { readonly kind: 'continue' } | StatusResponse | DataResponse | NumbersResponse

/** The bytes of a string; of an atom too, since servers may send either where the grammar says astring. */
export function bytesOf(value: Value | undefined): Uint8Array | undefined {
  if (value?.kind === 'string') return value.bytes
  return value?.kind === 'atom' || value?.kind === 'quoted' ? Buffer.from(value.text, 'latin1') : undefined
}

/** One character for each byte. */
export function latin1Of(value: Value | undefined): string | undefined {
  if (value?.kind === 'atom' || value?.kind === 'quoted') return value.text
  return value?.kind === 'string' ? Buffer.from(value.bytes).toString('latin1') : undefined
}

export function numberOf(value: Value | undefined): number | undefined {
  const text = latin1Of(value)
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined
}

export function itemsOf(value: Value | undefined): readonly Value[] | undefined {
  return value?.kind === 'list' ? value.items : undefined
}

/** A uid or a uidvalidity: 1 to 2^32-1. Undefined for any other digits. */
export function uidNumberOf(digits: string | undefined): number | undefined {
  const number = digits !== undefined && /^[0-9]{1,10}$/.test(digits) ? Number(digits) : 0
  return number >= 1 && number <= 0xffff_ffff ? number : undefined
}

/** All values, those in lists included. */
export function countValues(values: readonly Value[]): number {
  return values.reduce((sum, value) => sum + (value.kind === 'list' ? countValues(value.items) : 0), values.length)
}
