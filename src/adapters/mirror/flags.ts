/**
 * Flags as they are stored: as the server writes them, parted by spaces; those that are searched often as bits; keywords in
 * lower case with a space on either side.
 */
const BITS: ReadonlyMap<string, number> = new Map([
  ['\\seen', 1],
  ['\\flagged', 2],
  ['\\answered', 4],
  ['\\draft', 8],
  ['\\deleted', 16],
])

export interface StoredFlags {
  readonly flags: string
  readonly bits: number
  readonly keywords: string | null
}

export function storedFlags(flags: readonly string[]): StoredFlags {
  let bits = 0
  const keywords: string[] = []
  for (const flag of flags) {
    const bit = bitOf(flag)
    if (bit === undefined) keywords.push(flag.toLowerCase())
    else bits |= bit
  }
  return { flags: flags.join(' '), bits, keywords: keywords.length === 0 ? null : ` ${keywords.join(' ')} ` }
}

export function readFlags(stored: string): string[] {
  return stored === '' ? [] : stored.split(' ')
}

export function bitOf(flag: string): number | undefined {
  return BITS.get(flag.toLowerCase())
}
