/**
 * Whether a message is another one with small edits: a comma, a typing error, a word in ten.
 *
 * INVARIANT: total, and bounded by the length of the texts. Messages to other people, from another account, with other files or
 * another number, amount or symbol anywhere are never similar: they say something else.
 */
import { isOneSlipApart } from './letter-shapes.ts'
import { addressKey, type Sending } from './sending.ts'

/** Of so many words one may be another. */
const WORDS_AN_EDIT = 10
const MOST_EDITS = 20
/** Between the first edit and the last; more are not worth the time, and count as another message. */
const MOST_COMPARED = 2000
/** Shorter words mean something else when a letter is another: `now`, `not`. */
const LEAST_MISTYPED = 4

export function isSimilar(one: Sending, other: Sending): boolean {
  if (frameOf(one) !== frameOf(other)) return false
  const [text, otherText] = [withoutQuotation(one.text), withoutQuotation(other.text)]
  return (
    text.quoted === otherText.quoted &&
    isEdited(one.subject, other.subject) &&
    isEdited(text.own, otherText.own) &&
    isEdited(one.html ?? '', other.html ?? '')
  )
}

/** All but what it says. */
function frameOf({ kind, caller, account, from, to, cc, bcc, attachments, thread }: Sending): string {
  const people = (list: Sending['to']): readonly string[] =>
    [...new Set(list.map(({ address }) => addressKey(address)))].toSorted()
  const files = attachments.map(({ filename, digest }) => [filename, digest])
  const names = [kind, caller, account, addressKey(from.address), thread?.id ?? null]
  return JSON.stringify([names, people(to), people(cc), people(bcc), files])
}

interface Written {
  readonly own: string
  /** The lines of others, with the one that says whose they are. */
  readonly quoted: string
}

/** An answer is as short as what was written, however long the message is that it quotes. */
function withoutQuotation(text: string): Written {
  const lines = text.split('\n')
  const first = lines.findIndex(isQuoted)
  if (first === -1) return { own: text, quoted: '' }
  const introduced = lines.slice(0, first).findLastIndex((line) => line.trim() !== '')
  const isIntroduction = lines[introduced]?.trimEnd().endsWith(':') === true
  const isOthers = (line: string, at: number): boolean => isQuoted(line) || (isIntroduction && at === introduced)
  return {
    own: lines.filter((line, at) => !isOthers(line, at)).join('\n'),
    quoted: lines.filter(isOthers).join('\n'),
  }
}

function isQuoted(line: string): boolean {
  return line.startsWith('>')
}

function isEdited(one: string, other: string): boolean {
  if (one === other) return true
  if (Math.abs(one.length - other.length) > 200 + Math.max(one.length, other.length) / 4) return false
  const [words, others] = [wordsOf(one), wordsOf(other)]
  // Where there are no words, signs are all there is to compare.
  if (words.length === 0 || others.length === 0) return one.trim() === other.trim()
  const budget = Math.min(MOST_EDITS, Math.floor(Math.min(words.length, others.length) / WORDS_AN_EDIT))
  return isWithin(budget, words, others)
}

/** A number with what stands within it, a word with its apostrophe, or a symbol: `1,000.50`, `don't`, `€`. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:[.,:'’-]\p{N}+|['’]\p{L}+)*|\p{S}/gu
const FIXED = /[\p{N}\p{S}]/u

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? []
}

function isSame(one: string, other: string): boolean {
  if (one === other) return true
  if (FIXED.test(one + other) || Math.min(one.length, other.length) < LEAST_MISTYPED) return false
  return isOneSlipApart(one, other)
}

/** Whether so many words added, left out or changed make one of the other: Levenshtein's distance, in a band of that width. */
function isWithin(budget: number, all: readonly string[], others: readonly string[]): boolean {
  const [one, other] = withoutCommonEnds(all, others)
  if (Math.max(one.length, other.length) > MOST_COMPARED) return false
  const never = budget + 1
  const cost = (word: string): number => (FIXED.test(word) ? never : 1)
  const changing = (from: string, to: string): number => (isSame(from, to) ? 0 : Math.max(cost(from), cost(to)))
  // Place `at` of a row is the column `row + at - budget`.
  let above: number[] = Array(2 * budget + 1).fill(never)
  for (let at = budget; at < above.length; at++) {
    above[at] = at === budget ? 0 : (above[at - 1] ?? never) + cost(other[at - budget - 1] ?? '')
  }
  for (const [index, word] of one.entries()) {
    const row: number[] = []
    for (let at = 0; at < above.length; at++) {
      const beside = other[index + at - budget]
      const [before, over, corner] = [row[at - 1] ?? never, above[at + 1] ?? never, above[at] ?? never]
      const left = over > budget ? never : over + cost(word)
      const added = before > budget || beside === undefined ? never : before + cost(beside)
      const changed = corner > budget || beside === undefined ? never : corner + changing(word, beside)
      row.push(Math.min(never, left, added, changed))
    }
    if (row.every((distance) => distance > budget)) return false
    above = row
  }
  return (above[other.length - one.length + budget] ?? never) <= budget
}

function withoutCommonEnds(one: readonly string[], other: readonly string[]): [readonly string[], readonly string[]] {
  const least = Math.min(one.length, other.length)
  let start = 0
  while (start < least && one[start] === other[start]) start++
  let end = 0
  while (end < least - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)]
}
