/**
 * Letters that are not what they look like.
 *
 * INVARIANT: linear in the size of the text; the text itself is never changed, since what a person sees must stay. Words
 * of one script never count, whichever it is, nor does what a script's own writers write.
 */

/** How many words are disguised: scripts mixed inside a word, styled alphabets, marks piled on letters. */
export function countDeceptive(text: string): number {
  if (!NOT_LATIN_1.test(text)) return 0
  return countMixedWords(text) + countStyledWords(text) + countFullwidthWords(text) + countPiledMarks(text)
}

const NOT_LATIN_1 = /[^\n\t -~\u00a0-\u02ff]/
const WORD = /[\p{L}\p{M}]+/gu
const MIXABLE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

/** The beginning of a word that no language has is enough to judge it by. */
const JUDGED_LETTERS = 100

function countMixedWords(text: string): number {
  if (!MIXABLE.test(text)) return 0
  let count = 0
  for (const [word] of text.matchAll(WORD)) if (isMixed(word.slice(0, JUDGED_LETTERS))) count++
  return count
}

const LATIN = /\p{Script=Latin}/gu
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu
/** Letters of other scripts that read as Latin ones in most typefaces. */
const LOOKALIKES = new Set(
  [
    'асеорхуіјѕԁһԛԝґѵҽгкпт',
    'АВСЕНІЈКМОРЅТХУҮԌԚԜ',
    'αοενρτυικηγωχϳ',
    'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ',
    'ոսօցհյզքա',
    'ԼՕՏԱՍ',
    'ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏅᏢᏒᏚᎢᏙᏔᏃ',
  ].flatMap((letters) => [...letters]),
)

/** Latin letters with look-alikes among them; a Latin stem with a foreign ending is not made of look-alikes alone. */
export function isMixed(word: string): boolean {
  const foreign = word.match(FOREIGN)
  if (foreign === null || !foreign.every((letter) => LOOKALIKES.has(letter))) return false
  const latin = word.match(LATIN)?.length ?? 0
  return latin >= 1 && latin + foreign.length >= 3
}

/** `text` with look-alike letters as the Latin ones they imitate is for comparing, never for showing. */
export function hasLookalikesOnly(word: string): boolean {
  const letters = word.match(/\p{L}/gu) ?? []
  return letters.length > 0 && letters.every((letter) => LOOKALIKES.has(letter))
}

/** Mathematical alphabets, letters in circles and squares: in sequence they are words that no search finds. */
const STYLED = /[\u{1d400}-\u{1d7cb}\u24b6-\u24e9\u{1f110}-\u{1f189}]{3,}/gu

function countStyledWords(text: string): number {
  return text.match(STYLED)?.length ?? 0
}

const FULLWIDTH = /[\uff21-\uff3a\uff41-\uff5a]{3,}/g
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Ordinary next to East Asian text, a disguise without it. */
function countFullwidthWords(text: string): number {
  const words = text.match(FULLWIDTH)
  if (words === null) return 0
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  return (text.match(EAST_ASIAN)?.length ?? 0) >= letters ? 0 : words.length
}

/** Strokes through letters, or more marks on one than any language puts there. */
const PILED = /[\u0321\u0322\u0334-\u0338]|\p{Mn}{3,}/gu
const PILES_TOLERATED = 2

function countPiledMarks(text: string): number {
  const piles = text.match(PILED)?.length ?? 0
  return piles > PILES_TOLERATED ? piles : 0
}
