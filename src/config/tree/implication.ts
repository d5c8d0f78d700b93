/**
 * Which rules follow from others, without looking at a message.
 *
 * INVARIANT: never claims too much. `implies(a, b)` is true only if every message that `a` matches, `b` matches too,
 * whether over all senders or any; `contradicts` only if no message could ever match.
 */
import type { FolderDefinition } from '../../core/policy/folder.ts'
import { domainIn } from '../../core/policy/normal-form.ts'
import { type Match, PREDICATE_NAMES, type PredicateName } from '../../core/policy/predicates.ts'

export function implies(a: Match, b: Match): boolean {
  for (const name of PREDICATE_NAMES) {
    if (b[name] !== undefined && a[name] !== b[name] && FOLLOWS[name]?.(a, b) !== true) return false
  }
  return true
}

/** Where a match is filed, so that whatever `a` implies is filed under one of `headingsImplied(a)`. */
export function headingOf({ from, from_domain, to }: Match): string {
  return heading('from', from) || heading('from_domain', from_domain) || heading('to', to)
}

export function headingsImplied({ from, from_domain, to }: Match): ReadonlySet<string> {
  const domain = from === undefined ? undefined : domainIn(from)
  const domains = [heading('from_domain', from_domain), heading('from_domain', domain)]
  return new Set([heading('from', from), ...domains, heading('to', to), ''])
}

function heading(name: PredicateName, value: string | undefined): string {
  return value === undefined ? '' : `${name} ${value}`
}

/** Whether `b`'s predicate of this name holds wherever `a` does, although `a` does not say the same. */
const FOLLOWS: { readonly [K in PredicateName]?: (a: Match, b: Match) => boolean } = {
  from_domain: (a, b) => a.from !== undefined && domainIn(a.from) === b.from_domain,
  to_contains: (a, b) => contains(a.to?.toUpperCase(), b.to_contains) || contains(a.to_contains, b.to_contains),
  subject_contains: (a, b) => contains(a.subject_contains, b.subject_contains),
  newer_than: (a, b) => atMost(a.newer_than, b.newer_than),
  older_than: (a, b) => atMost(b.older_than, a.older_than),
  size_gt: (a, b) => atMost(b.size_gt, a.size_gt),
  size_lt: (a, b) => atMost(a.size_lt, b.size_lt),
}

/** The predicates that exclude each other, or nothing. */
export function contradicts(match: Match, mode: FolderDefinition['mode'] | undefined): readonly PredicateName[] {
  const { newer_than, older_than, size_gt, size_lt, from, from_domain } = match
  if (atMost(newer_than, older_than)) return ['newer_than', 'older_than']
  if (size_lt === 0) return ['size_lt']
  if (size_lt !== undefined && atMost(size_lt - 1, size_gt)) return ['size_gt', 'size_lt']
  // A grant needs all senders to match; a cap may find the address in one and the domain in another.
  const together = mode === 'whitelist' && from !== undefined && from_domain !== undefined
  return together && domainIn(from) !== from_domain ? ['from', 'from_domain'] : []
}

function contains(whole: string | undefined, part: string | undefined): boolean {
  return whole !== undefined && part !== undefined && whole.includes(part)
}

function atMost(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a <= b
}
