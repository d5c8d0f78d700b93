/**
 * What a policy says about one folder, ready to be asked about messages.
 *
 * INVARIANT: default deny. Whitelist: the highest of the grants that match. Blacklist: the lowest of the default and the
 * caps that match. The order of rules never matters. A rule that cannot be evaluated hides the message, and one that
 * makes no sense hides the folder's mail, whatever the others say.
 */
import type { FactSource, Facts } from './facts.ts'
import { higher, isLevel, type Level, lower } from './level.ts'
import { compileMatch, isFickle, isMatch, type Match, needsOf, type Quantifier, type Test } from './predicates.ts'

export const CAPABILITIES = [
  'mark_seen',
  'mark_tagged',
  'move_out',
  'accept_incoming',
  'draft_append',
  'delete',
] as const

export type Capability = (typeof CAPABILITIES)[number]

export interface Rule {
  readonly match: Match
  /** Granted in a whitelist, the most that is left in a blacklist. */
  readonly level: Level
}

export interface FolderDefinition {
  /** With a slash between levels; `*` as the last one stands for each child, `**` for all that is below. */
  readonly path: string
  readonly mode: 'whitelist' | 'blacklist'
  readonly default: Level
  readonly rules: readonly Rule[]
  readonly capabilities: readonly Capability[]
  /** Whether mail that is moved or copied in may become more visible than it was. */
  readonly mayRaise?: boolean
}

export type VerdictReason = 'rule_matched' | 'folder_default_applied' | 'sender_not_whitelisted' | 'sender_blacklisted'

export interface Verdict {
  readonly level: Level
  readonly reason: VerdictReason
}

export interface FolderPolicy {
  /** What it was made of, for those who judge whole folders at once. */
  readonly definition: FolderDefinition
  readonly path: string
  /** False for a folder that the policy does not speak of: it is hidden. */
  readonly named: boolean
  readonly mode: 'whitelist' | 'blacklist'
  readonly default: Level
  /** The most, and the least, that any message of the folder could show this caller. */
  readonly ceiling: Level
  readonly floor: Level
  readonly capabilities: ReadonlySet<Capability>
  readonly mayRaise: boolean
  readonly rules: number
  /** What has to be fetched before a message can be judged. */
  readonly needs: ReadonlySet<FactSource>
  /** Whether every message gets the same verdict, so that none has to be looked at. */
  readonly uniform: Verdict | undefined
  /** Whether flags change the verdict. */
  readonly looksAtFlags: boolean
  /** Whether a message gets the same verdict for as long as it exists. */
  readonly lasting: boolean
  verdict(facts: Facts, nowSeconds: number): Verdict
}

interface CompiledRule {
  readonly holds: Test
  readonly level: Level
}

export function compileFolder(definition: FolderDefinition): FolderPolicy {
  const { path, mode, rules, capabilities, mayRaise } = definition
  const sound = isSound(definition)
  const levels = sound ? rules.map(({ level }) => level) : []
  // Nothing but a rule opens a whitelist, whatever default it names.
  const base = sound && mode === 'blacklist' ? definition.default : 'NONE'
  const verdict = sound ? judgeOf(definition, base) : () => hidden(mode)
  const needs = needsOf(sound ? rules.map(({ match }) => match) : [])
  return {
    definition,
    path,
    named: true,
    mode,
    default: base,
    ceiling: mode === 'whitelist' ? levels.reduce(higher, base) : base,
    // What has to be fetched may be beyond reading: then the message is hidden.
    floor: mode === 'whitelist' || needs.size > 0 ? 'NONE' : levels.reduce(lower, base),
    capabilities: new Set(Array.isArray(capabilities) ? CAPABILITIES.filter((one) => capabilities.includes(one)) : []),
    mayRaise: mayRaise === true,
    rules: rules?.length ?? 0,
    needs,
    uniform: levels.length === 0 ? unmatched(mode, base) : undefined,
    looksAtFlags: sound && rules.some(({ match }) => match.flagged !== undefined),
    lasting: sound && !rules.some(({ match }) => isFickle(match)),
    verdict,
  }
}

function isSound({ mode, default: base, rules }: FolderDefinition): boolean {
  if ((mode !== 'whitelist' && mode !== 'blacklist') || !isLevel(base) || !Array.isArray(rules)) return false
  return rules.every((rule) => isLevel(rule?.level) && isMatch(rule.match))
}

function judgeOf({ mode, rules }: FolderDefinition, base: Level): FolderPolicy['verdict'] {
  const judge = mode === 'whitelist' ? whitelisted : blacklisted
  const compiled = rules.map(({ match, level }) => ({ holds: compileMatch(match, quantifierOf(mode)), level }))
  return (facts, now) => {
    try {
      return judge(compiled, base, facts, now)
    } catch {
      return hidden(mode)
    }
  }
}

/** With several senders a grant needs all of them to match, a cap applies if any one does. */
export function quantifierOf(mode: FolderDefinition['mode']): Quantifier {
  return mode === 'whitelist' ? 'all' : 'any'
}

function whitelisted(rules: readonly CompiledRule[], base: Level, facts: Facts, now: number): Verdict {
  let granted: Level | undefined
  for (const { holds, level } of rules) if (holds(facts, now)) granted = higher(granted ?? level, level)
  return granted === undefined ? unmatched('whitelist', base) : matched('whitelist', granted)
}

function blacklisted(rules: readonly CompiledRule[], base: Level, facts: Facts, now: number): Verdict {
  let left: Level | undefined
  for (const { holds, level } of rules) if (holds(facts, now)) left = lower(left ?? base, level)
  return left === undefined ? unmatched('blacklist', base) : matched('blacklist', left)
}

function matched(mode: FolderPolicy['mode'], level: Level): Verdict {
  return level === 'NONE' ? hidden(mode) : { level, reason: 'rule_matched' }
}

function unmatched(mode: FolderPolicy['mode'], base: Level): Verdict {
  return base === 'NONE' ? hidden(mode) : { level: base, reason: 'folder_default_applied' }
}

function hidden(mode: FolderPolicy['mode']): Verdict {
  return { level: 'NONE', reason: mode === 'blacklist' ? 'sender_blacklisted' : 'sender_not_whitelisted' }
}
