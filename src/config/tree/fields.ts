/**
 * Reads the keys of a mapping, each as what it has to be.
 *
 * INVARIANT: total. What is wrong is told with its place and what to write, and reads as absent. A key that nobody
 * knows is told when the mapping is opened.
 */
import { nearest } from '../../core/text/nearest.ts'
import { type Entry, isEmpty, type MappingNode, type Node } from './node.ts'
import type { Findings, Place } from './problems.ts'

const LONGEST_TEXT = 1000
const LONGEST_QUOTE = 40

export class Fields {
  readonly at: Place
  readonly #what: string
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #findings: Findings

  /** `what` names the mapping in messages: `an account`. */
  constructor(node: MappingNode, what: string, known: readonly string[], findings: Findings) {
    this.at = node.at
    this.#what = what
    this.#findings = findings
    this.#entries = new Map(node.entries.map((entry) => [entry.key, entry]))
    for (const entry of node.entries) if (!known.includes(entry.key)) this.#unknown(entry, known)
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  value(key: string): Node | undefined {
    return this.#entries.get(key)?.value
  }

  /** Where the value of a key stands; the mapping itself where the key is absent. */
  place(key: string): Place {
    const entry = this.#entries.get(key)
    if (entry === undefined) return this.at
    return isEmpty(entry.value) ? entry.at : entry.value.at
  }

  problem(key: string, message: string): void {
    this.#findings.problem(this.place(key), message)
  }

  warn(key: string, message: string): void {
    this.#findings.warn(this.place(key), message)
  }

  require(...keys: readonly string[]): void {
    for (const key of keys) {
      if (!this.has(key)) this.#findings.problem(this.at, `${key} is missing in ${this.#what}; write ${key}: …`)
    }
  }

  /** One line of text. */
  text(key: string): string | undefined {
    const value = this.#scalar(key, 'text')
    if (value === undefined) return undefined
    if (typeof value !== 'string') return this.#wrong(key, 'text; write the value in quotes instead')
    if (/\p{Cc}/u.test(value) || !value.isWellFormed())
      return this.#wrong(key, 'one line without control characters; write plain text instead')
    if (value.trim() === '') return this.#wrong(key, 'more than nothing; write a value or leave the key out')
    return value.length <= LONGEST_TEXT
      ? value
      : this.#wrong(key, `at most ${LONGEST_TEXT} characters; write less instead`)
  }

  flag(key: string, fallback: boolean): boolean {
    const value = this.#scalar(key, 'true or false')
    if (value === undefined || typeof value === 'boolean') return value ?? fallback
    this.#wrong(key, 'true or false; write true or false instead')
    return fallback
  }

  whole(key: string, least: number, most: number): number | undefined {
    const expected = `a whole number between ${least} and ${most}`
    const value = this.#scalar(key, expected)
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
    return this.#wrong(key, `${expected}; write one without quotes instead`)
  }

  /** `offered`: those worth writing, where some are there only to be refused in words of their own. */
  choice<const T extends string>(key: string, choices: readonly T[], offered = choices): T | undefined {
    const list = offered.join(', ')
    const value = this.#scalar(key, `one of ${list}`)
    if (value === undefined) return undefined
    const chosen = choices.find((choice) => choice === value)
    if (chosen !== undefined) return chosen
    const meant = nearest(String(value), offered)
    const got = quoted(value)
    return this.#wrong(
      key,
      `one of ${list}${got && `; got${got}`}${meant === undefined ? '' : `; write ${meant} instead`}`,
    )
  }

  fields(key: string, what: string, known: readonly string[]): Fields | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined ? undefined : fieldsOf(entry.value, what, known, this.#findings, this.place(key))
  }

  items(key: string): readonly Node[] | undefined {
    const node = this.value(key)
    if (node === undefined) return undefined
    return node.kind === 'list' ? node.items : this.#wrong(key, 'a list; write [] or lines that begin with - instead')
  }

  #scalar(key: string, expected: string): string | number | boolean | undefined {
    const node = this.value(key)
    if (node === undefined) return undefined
    if (node.kind !== 'scalar') return this.#wrong(key, `${expected}; write one value instead`)
    return node.value ?? this.#wrong(key, `${expected}; write a value or leave the key out`)
  }

  #wrong(key: string, expected: string): undefined {
    this.problem(key, `${key} must be ${expected}`)
  }

  #unknown({ key, at, value }: Entry, known: readonly string[]): void {
    const instead = adviceOn(key, known)
    // A key without a value may be a secret that somebody put between braces.
    this.#findings.problem(at, `unknown key${isEmpty(value) ? '' : quoted(key)} in ${this.#what}; ${instead}`)
  }
}

function adviceOn(key: string, known: readonly string[]): string {
  const ref = known.find((name) => name.endsWith('secret_ref'))
  if (key === '<<') return 'merge keys are not read; write the keys themselves instead'
  if (/^(pass(word)?|token|secret|client_secret)$/i.test(key) && ref !== undefined) {
    return `keep the secret in the secret store and write ${ref}: secret://… instead`
  }
  const meant = nearest(key, known)
  return meant === undefined ? `write one of ${known.join(', ')} instead` : `write ${meant} instead`
}

export function fieldsOf(
  node: Node,
  what: string,
  known: readonly string[],
  findings: Findings,
  at: Place = node.at,
): Fields | undefined {
  if (node.kind === 'mapping') return new Fields(node, what, known, findings)
  findings.problem(at, `${what} must be a mapping; write lines of key: value instead`)
  return undefined
}

/** With a space before it; empty where it is too long to be a slip of the pen, or may not be shown. */
export function quoted(value: unknown): string {
  const text = String(value)
  return text.length > LONGEST_QUOTE || !/^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(text) ? '' : ` "${text}"`
}
