/** Rules that can never make a difference: whoever wrote one meant something else. */

import type { FolderDefinition } from '../../core/policy/folder.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import { contradicts, headingOf, headingsImplied, implies } from './implication.ts'
import type { Findings } from './problems.ts'
import type { ReadRule } from './rules.ts'

type Mode = FolderDefinition['mode']

export function tellUnreachable(rules: readonly ReadRule[], mode: Mode, base: Level, findings: Findings): void {
  const possible = rules.filter((rule) => !isContradiction(rule, mode, findings))
  const useful = possible.filter((rule) => !isIdleCap(rule, mode, base, findings))
  const filed = Map.groupBy(useful, ({ rule }) => headingOf(rule.match))
  const order = new Map(useful.map((rule, index) => [rule, index]))
  const isEarlier = (a: ReadRule, b: ReadRule): boolean => (order.get(a) ?? 0) < (order.get(b) ?? 0)
  for (const rule of useful) {
    const candidates = [...headingsImplied(rule.rule.match)].flatMap((heading) => filed.get(heading) ?? [])
    const other = candidates.find((one) => one !== rule && overrules(one, rule, mode, isEarlier(one, rule)))
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

/** Of two that say the same, the earlier overrules. */
function overrules(candidate: ReadRule, rule: ReadRule, mode: Mode, earlier: boolean): boolean {
  const [a, b] = [candidate.rule, rule.rule]
  const strong = mode === 'whitelist' ? atLeast(a.level, b.level) : atLeast(b.level, a.level)
  return strong && implies(b.match, a.match) && (earlier || a.level !== b.level || !implies(a.match, b.match))
}
