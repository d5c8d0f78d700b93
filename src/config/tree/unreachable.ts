/** Rules that can never make a difference: whoever wrote one meant something else. */
import type { FolderDefinition } from '../../core/policy/folder.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import { contradicts, headingOf, headingsImplied, implies } from './implication.ts'
import type { Findings } from './problems.ts'
import type { ReadRule } from './rules.ts'

type Mode = FolderDefinition['mode']

/** Of very many rules about the same sender, or about none, the first are compared with all. */
const COMPARED = 500

export function tellUnreachable(rules: readonly ReadRule[], mode: Mode, base: Level, findings: Findings): void {
  const possible = rules.filter((rule) => !isContradiction(rule, mode, findings))
  const useful = possible.filter((rule) => !isIdleCap(rule, mode, base, findings))
  const overruling = finderOf(useful, mode)
  for (const rule of useful) {
    const other = overruling(rule)
    if (other === undefined) continue
    const effect = mode === 'whitelist' ? 'grants as much or more' : 'caps as low or lower'
    const message = `this rule is never reached: the one on line ${other.at.line} matches all that it matches and ${effect}`
    findings.problem(rule.at, `${message}; write a match or a level that differs instead, or remove it`)
  }
}

function isContradiction({ rule, at }: ReadRule, mode: Mode, findings: Findings): boolean {
  const names = contradicts(rule.match, mode)
  if (names.length === 0) return false
  findings.problem(
    at,
    `this rule can never match: ${names.join(' and ')} leave nothing; write values that leave something instead`,
  )
  return true
}

function isIdleCap({ rule, levelAt }: ReadRule, mode: Mode, base: Level, findings: Findings): boolean {
  if (mode === 'whitelist' || !atLeast(rule.level, base)) return false
  findings.problem(levelAt, `cap: ${rule.level} is not below the folder's default ${base}; write a lower level instead`)
  return true
}

function finderOf(rules: readonly ReadRule[], mode: Mode): (rule: ReadRule) => ReadRule | undefined {
  const order = new Map(rules.map((rule, index) => [rule, index]))
  const filed = new Map<string, ReadRule[]>()
  for (const [heading, all] of Map.groupBy(rules, ({ rule }) => headingOf(rule.match))) {
    filed.set(heading, all.slice(0, COMPARED))
  }
  // Of two that cover each other, the earlier counts.
  const overrules = (one: ReadRule, other: ReadRule): boolean =>
    covers(one, other, mode) && (!covers(other, one, mode) || (order.get(one) ?? 0) < (order.get(other) ?? 0))
  return (rule) => {
    for (const heading of headingsImplied(rule.rule.match)) {
      const found = filed.get(heading)?.find((candidate) => candidate !== rule && overrules(candidate, rule))
      if (found !== undefined) return found
    }
    return undefined
  }
}

function covers(one: ReadRule, other: ReadRule, mode: Mode): boolean {
  const [a, b] = [one.rule, other.rule]
  return (mode === 'whitelist' ? atLeast(a.level, b.level) : atLeast(b.level, a.level)) && implies(b.match, a.match)
}
