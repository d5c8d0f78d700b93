/** Text into the character sets of older mail, by turning the platform's decoders round. */
const LF = 0x0a
const TABLES = new Map<string, ReadonlyMap<string, readonly number[]>>()

export function encodeText(text: string, charset: string): Uint8Array {
  if (charset === 'utf-8' || charset === 'us-ascii') return new TextEncoder().encode(text)
  if (charset === 'iso-2022-jp') return encodeJapanese(text)
  const table = tableOf(charset)
  return Uint8Array.from([...text].flatMap((letter) => codesOf(letter, table)))
}

/** Seven bits: an escape sequence says when two-byte characters begin and end. */
function encodeJapanese(text: string): Uint8Array {
  const table = tableOf('euc-jp')
  const codes: number[] = []
  let wide = false
  for (const letter of text) {
    const isWide = letter > '\u007F'
    if (isWide !== wide) codes.push(0x1b, ...(isWide ? [0x24, 0x42] : [0x28, 0x42]))
    codes.push(...codesOf(letter, table).map((code) => code & 0x7f))
    wide = isWide
  }
  return Uint8Array.from(wide ? [...codes, 0x1b, 0x28, 0x42] : codes)
}

function codesOf(letter: string, table: ReadonlyMap<string, readonly number[]>): readonly number[] {
  const codes = letter <= '\u007F' ? [letter.charCodeAt(0)] : table.get(letter)
  if (codes === undefined) throw new Error(`a demo letter has a character that its charset has not: ${letter}`)
  return codes
}

function tableOf(charset: string): ReadonlyMap<string, readonly number[]> {
  const known = TABLES.get(charset)
  if (known !== undefined) return known
  const isWide = charset === 'gb18030' || charset === 'euc-jp'
  const codes = isWide
    ? [...range(0xa1, 0xfe)].map((first) => [...range(0xa1, 0xfe)].map((second) => [first, second]))
    : [[...range(0x80, 0xff)].map((code) => [code])]
  const table = new Map(codes.flatMap((row) => readRow(row, new TextDecoder(charset))))
  TABLES.set(charset, table)
  return table
}

/** Decoded together, a line each: one call to the decoder instead of a hundred. */
function readRow(row: readonly (readonly number[])[], decoder: TextDecoder): [string, readonly number[]][] {
  const letters = decoder.decode(Uint8Array.from(row.flatMap((codes) => [...codes, LF]))).split('\n')
  return row.flatMap((codes, at): [string, readonly number[]][] => {
    const letter = letters[at] ?? ''
    return [...letter].length === 1 && letter !== '\uFFFD' ? [[letter, codes]] : []
  })
}

function* range(first: number, last: number): Generator<number> {
  for (let value = first; value <= last; value++) yield value
}
