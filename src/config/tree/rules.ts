/** The rules of a folder: what they match, and what that grants or caps. */
import type { FolderDefinition, Rule } from '../../core/policy/folder.ts'
import { LEVELS, type Level } from '../../core/policy/level.ts'
import { type Match, PREDICATE_NAMES, type PredicateName, predicateNamed } from '../../core/policy/predicates.ts'
import { readValue } from '../../core/policy/values.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { isEmpty, type Node } from './node.ts'
import type { Findings, Place } from './problems.ts'

export interface ReadRule {
  readonly rule: Rule
  readonly at: Place
  readonly levelAt: Place
}

type Mode = FolderDefinition['mode']

/** What is worth writing: NONE grants nothing, FULL takes nothing away. */
const GRANTS = LEVELS.filter((level) => level !== 'NONE')
const CAPS = LEVELS.filter((level) => level !== 'FULL')
const WORD: Readonly<Record<Mode, 'grant' | 'cap'>> = { whitelist: 'grant', blacklist: 'cap' }

/** Absent where it cannot be one; what is wrong has been told. `mode` is absent where that is itself a problem. */
export function readRule(node: Node, mode: Mode | undefined, findings: Findings): ReadRule | undefined {
  const fields = fieldsOf(node, 'a rule', ['match', 'grant', 'cap'], findings)
  if (fields === undefined) return undefined
  fields.require('match')
  const match = readMatch(fields, findings)
  const level = readLevel(fields, mode)
  if (match === undefined || level === undefined) return undefined
  return { rule: { match, level }, at: fields.at, levelAt: fields.place(fields.has('grant') ? 'grant' : 'cap') }
}

function readLevel(fields: Fields, mode: Mode | undefined): Level | undefined {
  const grant = fields.choice('grant', LEVELS, GRANTS)
  const cap = fields.choice('cap', LEVELS, CAPS)
  if (fields.has('grant') && fields.has('cap')) {
    const word = mode === undefined ? 'one of them' : WORD[mode]
    fields.problem(
      'cap',
      `a rule has grant (in a whitelist) or cap (in a blacklist), never both; write only ${word} instead`,
    )
    return undefined
  }
  if (mode === 'whitelist' && fields.has('cap')) fields.problem('cap', 'a whitelist has no cap; write grant: … instead')
  if (mode === 'blacklist' && fields.has('grant'))
    fields.problem('grant', 'a blacklist has no grant; write cap: … instead')
  if (!fields.has('grant') && !fields.has('cap')) {
    fields.require(mode === undefined ? 'grant' : WORD[mode])
  }
  if (grant !== 'NONE') return grant ?? cap
  fields.problem('grant', 'grant: NONE grants nothing; write a higher level instead, or remove the rule')
  return undefined
}

/** Absent where a predicate is wrong: what is left of the rule would mean something else. */
function readMatch(fields: Fields, findings: Findings): Match | undefined {
  const node = fields.value('match')
  if (node === undefined) return undefined
  if (isEmpty(node)) {
    fields.problem('match', 'match is empty; write match: {} to match every message')
    return undefined
  }
  const predicates = fieldsOf(node, 'match', PREDICATE_NAMES, findings)
  if (predicates === undefined || node.kind !== 'mapping') return undefined
  const read = node.entries.map(({ key, value }) => readPredicate(key, value, predicates))
  const understood = read.filter((pair) => pair !== undefined)
  return understood.length === read.length ? Object.fromEntries(understood) : undefined
}

function readPredicate(key: string, node: Node, predicates: Fields): [PredicateName, unknown] | undefined {
  const name = PREDICATE_NAMES.find((known) => known === key)
  if (name === undefined) return undefined
  const raw = node.kind === 'scalar' ? node.value : undefined
  const reading = readValue(predicateNamed(name).value, raw)
  if (reading.ok) return [name, reading.value]
  const more = node.kind === 'list' ? ', and one rule for each value' : quotesWouldDo(name, raw) ? ', in quotes' : ''
  predicates.problem(key, `${name} cannot be read; write ${reading.expected}${more}`)
  return undefined
}

function quotesWouldDo(name: PredicateName, raw: unknown): boolean {
  return (typeof raw === 'number' || typeof raw === 'boolean') && readValue(predicateNamed(name).value, String(raw)).ok
}
