/**
 * A tree of what to look for, without what says nothing beside what else is there.
 *
 * INVARIANT: means the same as before. NOT stands before single keys only. Of `K` and `A and K` in one OR, and of `K` and `A or K`
 * in one AND, only `K` is left: of the first, Dovecot 2.3 keeps the wrong one.
 */
import { Failure } from '../../../core/failure.ts'
import type { SearchKey } from '../../../core/query/search-key.ts'

/** Keys within keys beyond this are no search that anybody wrote. */
const DEEPEST = 100
const OPPOSITE = { and: 'or', or: 'and', all: 'none', none: 'all', flag: 'unflag', unflag: 'flag' } as const

export function absorbedKey(key: SearchKey, negated = false, depth = 0): SearchKey {
  if (depth > DEEPEST) throw new Failure('invalid_input', 'a search is nested too deeply')
  switch (key.kind) {
    case 'all':
    case 'none':
      return negated ? { kind: OPPOSITE[key.kind] } : key
    case 'flag':
    case 'unflag':
      return negated ? { ...key, kind: OPPOSITE[key.kind] } : key
    case 'not':
      return absorbedKey(key.of, !negated, depth + 1)
    case 'and':
    case 'or': {
      const kind = negated ? OPPOSITE[key.kind] : key.kind
      return together(
        kind,
        key.of.map((one) => absorbedKey(one, negated, depth + 1)),
      )
    }
    default:
      return negated ? { kind: 'not', of: key } : key
  }
}

function together(kind: 'and' | 'or', keys: readonly SearchKey[]): SearchKey {
  const flat = keys.flatMap((key) => (key.kind === kind ? key.of : [key]))
  const byName = new Map(flat.map((key) => [JSON.stringify(key), key]))
  const says = (key: SearchKey): boolean =>
    !(key.kind === OPPOSITE[kind] && key.of.some((one) => byName.has(JSON.stringify(one))))
  const [only, ...others] = [...byName.values()].filter(says)
  return only !== undefined && others.length === 0 ? only : { kind, of: only === undefined ? [] : [only, ...others] }
}
