/**
 * How a name looks at a glance: letters of other alphabets as the Latin ones they are taken for, accents and separators left
 * out, `rn` as `m`. For comparing, never for showing.
 *
 * INVARIANT: linear in the size of the name, never throws; the letter case does not matter.
 */

const TAKEN_FOR = new Map(
  [
    ['асеорхуіјѕԁһԛԝґѵҽгкптвмнь', 'aceopxyijsdhqwrverkntbmhb'],
    ['αοενρτυικηγωχϳβ', 'aoevptuiknywxjb'],
    ['ոսօցհյզքա', 'nuoghjqpw'],
    ['ıłøđɡɑʟħŧɩ', 'ilodgalhti'],
  ].flatMap(([letters = '', latin = '']) => [...letters].map((letter, at) => [letter, latin[at] ?? letter] as const)),
)

export function shapeOf(name: string): string {
  const bare = name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: whatever is not ASCII.
  const latin = bare.replace(/[^\x00-\x7f]/gu, (letter) => TAKEN_FOR.get(letter) ?? letter)
  return latin
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd')
    .replace(/[1|!i]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('5', 's')
    .replace(/[-_.]/g, '')
}

/** Whether one letter was added, left out or changed, or two neighbours swapped. A number instead of another is no slip. */
export function isOneSlipApart(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let [end, otherEnd] = [one.length, other.length]
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end--
    otherEnd--
  }
  const [left, right] = [one.slice(start, end), other.slice(start, otherEnd)]
  if (left.length <= 1 && right.length <= 1) return left !== right && !/^\d\d$/.test(left + right)
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
