/**
 * What `in:` and `label:` mean in one folder.
 *
 * INVARIANT: what `settle` gives holds no place and no label, so that every message can be asked it.
 */
import { EVERYTHING, type Query } from './query.ts'

export interface Place {
  /** With `/` between the levels. */
  readonly path: string
  /** RFC 6154 role without its backslash. */
  readonly role?: string | undefined
}

const NOTHING: Query = { kind: 'none' }
const STARRED: Query = { kind: 'flag', flag: '\\Flagged' }

/** Names that people have for folders, each with its role. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ['sent', 'sent'],
  ['drafts', 'drafts'],
  ['trash', 'trash'],
  ['spam', 'junk'],
  ['starred', 'flagged'],
  ['archive', 'archive'],
  ['all', 'all'],
])

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['draft', 'drafts'],
  ['bin', 'trash'],
  ['junk', 'spam'],
  ['flagged', 'starred'],
])

/** Labels that Gmail has for what other servers keep as flags. */
const STATES: ReadonlyMap<string, Query> = new Map<string, Query>([
  ['starred', STARRED],
  ['unread', { kind: 'not', of: { kind: 'flag', flag: '\\Seen' } }],
  ['important', { kind: 'flag', flag: '$Important' }],
])

/** What a keyword may be made of (RFC 3501, `atom`). */
const KEYWORD = /^[^\p{Cc}\s(){%*"\\\]\u0080-\u{10ffff}]+$/u

export function isKeyword(flag: string): boolean {
  return KEYWORD.test(flag)
}

export function settle(query: Query, folder: Place): Query {
  return simplify(mapLeaves(query, (leaf) => settleLeaf(leaf, folder)))
}

/** The same query with the folders that `in:` and `label:` name under other names. */
export function renamePlaces(query: Query, rename: (name: string) => string): Query {
  return mapLeaves(query, (leaf) => {
    if (leaf.kind === 'in') return { ...leaf, place: rename(leaf.place) }
    return leaf.kind === 'label' ? { ...leaf, label: rename(leaf.label) } : leaf
  })
}

/** The places that are asked for, under the names that `in:` has for them or as paths in lower case; not those ruled out. */
export function placesOf(query: Query): ReadonlySet<string> {
  const places = new Set<string>()
  collect(query, true, places)
  return places
}

export function asksForPlaces(query: Query): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.of.some(asksForPlaces)
  return query.kind === 'not' ? asksForPlaces(query.of) : query.kind === 'in' || query.kind === 'label'
}

/** The same without what makes no difference. */
export function simplify(query: Query): Query {
  if (query.kind === 'not') return negated(simplify(query.of))
  if (query.kind !== 'and' && query.kind !== 'or') return query
  const { kind } = query
  const [idle, final] = kind === 'and' ? (['all', 'none'] as const) : (['none', 'all'] as const)
  const parts = query.of
    .map(simplify)
    .flatMap((one) => (one.kind === kind ? one.of : [one]))
    .filter((one) => one.kind !== idle)
  if (parts.some((one) => one.kind === final)) return { kind: final }
  const [only, ...others] = parts
  if (only === undefined) return { kind: idle }
  return others.length === 0 ? only : { kind, of: parts }
}

function negated(query: Query): Query {
  if (query.kind === 'all') return NOTHING
  if (query.kind === 'none') return EVERYTHING
  return query.kind === 'not' ? query.of : { kind: 'not', of: query }
}

function mapLeaves(query: Query, change: (leaf: Query) => Query): Query {
  if (query.kind === 'and' || query.kind === 'or') {
    return { kind: query.kind, of: query.of.map((one) => mapLeaves(one, change)) }
  }
  return query.kind === 'not' ? { kind: 'not', of: mapLeaves(query.of, change) } : change(query)
}

function settleLeaf(leaf: Query, folder: Place): Query {
  if (leaf.kind === 'in') return settlePlace(placeNamed(leaf.place), folder)
  return leaf.kind === 'label' ? settleLabel(leaf.label, folder) : leaf
}

function settlePlace(place: string, folder: Place): Query {
  if (place === 'anywhere' || isPlace(folder, place)) return EVERYTHING
  // Few servers have a folder of what is starred, and all of them know what is.
  return place === 'starred' ? STARRED : NOTHING
}

function settleLabel(label: string, folder: Place): Query {
  const place = placeNamed(label)
  const last = folder.path.slice(folder.path.lastIndexOf('/') + 1)
  if (isPlace(folder, place) || last.toLowerCase() === label.toLowerCase()) return EVERYTHING
  return STATES.get(place) ?? (isKeyword(label) ? { kind: 'flag', flag: label } : NOTHING)
}

function isPlace({ path, role }: Place, place: string): boolean {
  const wanted = ROLES.get(place)
  return (wanted !== undefined && role === wanted) || placeNamed(path) === place
}

function placeNamed(written: string): string {
  const name = written.trim().toLowerCase()
  return OTHER_NAMES.get(name) ?? name
}

function collect(query: Query, positive: boolean, places: Set<string>): void {
  if (query.kind === 'not') collect(query.of, !positive, places)
  else if (query.kind === 'and' || query.kind === 'or') for (const one of query.of) collect(one, positive, places)
  else if (positive && query.kind === 'in') places.add(placeNamed(query.place))
  else if (positive && query.kind === 'label') places.add(placeNamed(query.label))
}
