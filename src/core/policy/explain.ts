/**
 * Says of one message what a folder's rules make of it, and which of them: for operators.
 *
 * INVARIANT: total. The verdict is the one that callers get, found by the same code.
 */
import type { Facts } from './facts.ts'
import { compileFolder, type FolderDefinition, quantifierOf, type Rule, type Verdict } from './folder.ts'
import { describeRule } from './in-words.ts'
import { isLevel, type Level } from './level.ts'
import { compileMatch, isMatch } from './predicates.ts'

export interface ExplainedRule {
  readonly words: string
  /** One that cannot be evaluated hides the message, whatever the others say. */
  readonly matched: boolean | 'cannot be evaluated'
  readonly level: Level
}

export interface Explanation {
  readonly verdict: Verdict
  /** In the order in which they are written. */
  readonly rules: readonly ExplainedRule[]
}

export function explain(definition: FolderDefinition, facts: Facts, nowSeconds: number): Explanation {
  const { mode, rules } = definition
  return {
    verdict: compileFolder(definition).verdict(facts, nowSeconds),
    rules: rules.map((rule) => ({
      words: describeRule(mode, rule),
      matched: matches(mode, rule, facts, nowSeconds),
      level: rule.level,
    })),
  }
}

function matches(
  mode: FolderDefinition['mode'],
  { match, level }: Rule,
  facts: Facts,
  now: number,
): ExplainedRule['matched'] {
  if (!isMatch(match) || !isLevel(level)) return 'cannot be evaluated'
  try {
    return compileMatch(match, quantifierOf(mode))(facts, now)
  } catch {
    return 'cannot be evaluated'
  }
}
