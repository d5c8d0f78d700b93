/**
 * Whether a browser would say that it supports something: `@supports (display: grid) and (not (foo: bar))`.
 *
 * INVARIANT: never throws, bounded in depth; what we cannot know is MAYBE, so that a rule may hide but does not show.
 */
import { parseDeclaration } from './declaration.ts'
import { MAYBE, type Match, NO, YES } from './match.ts'
import { isRelevant, resolveProperties } from './properties.ts'
import { splitTopLevel } from './scan.ts'

const MAX_DEPTH = 8
const MAX_LENGTH = 1000

export function supportsHolds(condition: string, depth = 0): Match {
  const text = condition.trim()
  if (depth > MAX_DEPTH || text.length > MAX_LENGTH) return MAYBE
  const words = splitTopLevel(text.replace(/\s+/g, ' '), ' ')
  const operator = words.find((word) => word === 'and' || word === 'or')
  if (operator !== undefined) {
    const parts = text.includes('(') ? groups(words, operator).map((part) => supportsHolds(part, depth + 1)) : [MAYBE]
    return (operator === 'and' ? Math.min(...parts) : Math.max(...parts)) as Match
  }
  if (/^not\b/i.test(text)) return opposite(supportsHolds(text.slice(3), depth + 1))
  if (!text.startsWith('(') || !text.endsWith(')')) return MAYBE
  const inside = text.slice(1, -1).trim()
  return /^\(|^not\b/i.test(inside) ? supportsHolds(inside, depth + 1) : declarationHolds(inside)
}

function groups(words: readonly string[], operator: string): string[] {
  const found: string[][] = [[]]
  for (const word of words) {
    if (word === operator) found.push([])
    else found.at(-1)?.push(word)
  }
  return found.map((group) => group.join(' '))
}

function opposite(match: Match): Match {
  return match === YES ? NO : match === NO ? YES : MAYBE
}

function declarationHolds(text: string): Match {
  const declaration = parseDeclaration(text)
  if (declaration === undefined) return MAYBE
  const { name } = declaration
  if (name.startsWith('--')) return YES
  if (isRelevant(name)) return resolveProperties([declaration], new Map()).size > 0 ? YES : MAYBE
  return ORDINARY.test(name) ? YES : MAYBE
}

const ORDINARY =
  /^(?:object-(?:fit|position)|(?:row-|column-|grid-)?gap|float|border(?:-[a-z-]+)?|-webkit-[a-z-]+|text-[a-z-]+|font-[a-z-]+|justify-[a-z]+|align-[a-z]+|cursor)$/
