/**
 * Which charset bytes are in that are no UTF-8 and have no label: raw 8-bit headers, and bodies that say `us-ascii`.
 *
 * INVARIANT: linear in what is looked at, which is bounded. Conservative: undefined unless the bytes are what Western European
 * text never has (four accented letters in a row) and are common letters of the charset that is named.
 */
const LOOKED_AT = 65_536
const LEAST_RUN = 4

/** The eight most common letters of Russian (о е а и н т с р) are 58 % of its text; of Greek and Hebrew bytes about 30 %. */
const COMMON_SHARE = 0.45
/** A shorter text also needs a word that begins with a capital: letters of so few words have no frequency. */
const LONG_TEXT = 12
/** Words are small letters, with a capital before them, or all capitals, but for a few. */
const WRITTEN_SHARE = 0.9

interface Cyrillic {
  readonly encoding: string
  /** Common letters, as capitals or small letters, whichever have the lower bytes. */
  readonly common: ReadonlySet<number>
  readonly isCapital: (byte: number) => boolean
}

/** In both charsets, small letters and capitals differ by it. */
const CASE_BIT = 0x20
const isHighHalf = (byte: number): boolean => byte >= 0xe0
const CYRILLIC: readonly Cyrillic[] = [
  { encoding: 'koi8-r', common: new Set([0xcf, 0xc5, 0xc1, 0xc9, 0xce, 0xd4, 0xd3, 0xd2]), isCapital: isHighHalf },
  {
    encoding: 'windows-1251',
    common: new Set([0xce, 0xc5, 0xc0, 0xc8, 0xcd, 0xd2, 0xd1, 0xd0]),
    isCapital: (byte) => !isHighHalf(byte),
  },
]

/** The first bytes of punctuation, of Hangul in EUC-KR, and of the characters in everyday use in GB 2312. */
const isPunctuation = (lead: number): boolean => lead >= 0xa1 && lead <= 0xa3
const isHangul = (lead: number): boolean => lead >= 0xb0 && lead <= 0xc8
const isEveryday = (lead: number): boolean => lead >= 0xb0 && lead <= 0xd7
const EVERYDAY_SHARE = 0.8
/** Chinese text of so many characters has others than those whose first byte is also that of Hangul. */
const LEAST_HANGUL = 5

/** A name that `TextDecoder` knows. */
export function detectLegacyCharset(bytes: Uint8Array): string | undefined {
  const runs = runsOf(bytes.subarray(0, LOOKED_AT))
  if (runs.every((run) => run.length < LEAST_RUN)) return undefined
  const high = runs.flat()
  const cyrillic = CYRILLIC.find((charset) => isIn(charset, runs, high))
  if (cyrillic !== undefined) return cyrillic.encoding
  return runs.every((run) => run.length % 2 === 0) ? eastAsian(high) : undefined
}

/** The runs of bytes beyond ASCII. */
function runsOf(bytes: Uint8Array): readonly (readonly number[])[] {
  const runs: number[][] = []
  let run: number[] | undefined
  for (const byte of bytes) {
    if (byte < 0x80) run = undefined
    else if (run === undefined) {
      run = [byte]
      runs.push(run)
    } else run.push(byte)
  }
  return runs
}

function isIn({ common, isCapital }: Cyrillic, runs: readonly (readonly number[])[], high: readonly number[]): boolean {
  // Io stands apart from the other letters; all else below is no letter.
  if (high.some((byte) => byte < 0xc0 && ![0xa3, 0xa8, 0xb3, 0xb8].includes(byte))) return false
  const many = high.filter((byte) => common.has(byte & ~CASE_BIT)).length
  if (many < COMMON_SHARE * high.length) return false
  const named = runs.filter(([first = 0, ...rest]) => isCapital(first) && rest.length > 0 && !rest.some(isCapital))
  const others = runs.filter((run) => !run.some(isCapital) || run.every(isCapital))
  if (named.length + others.length < WRITTEN_SHARE * runs.length) return false
  return high.length >= LONG_TEXT || named.length > 0
}

function eastAsian(high: readonly number[]): string | undefined {
  if (high.some((byte) => byte < 0xa1 || byte > 0xfe)) return undefined
  const leads = high.filter((lead, at) => at % 2 === 0 && !isPunctuation(lead))
  if (leads.length >= LEAST_HANGUL && leads.every(isHangul)) return 'euc-kr'
  return leads.length > 0 && leads.filter(isEveryday).length >= EVERYDAY_SHARE * leads.length ? 'gbk' : undefined
}
