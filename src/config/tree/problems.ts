/**
 * What is wrong with a configuration tree, and where.
 *
 * INVARIANT: messages are our own words. They hold no secret, and what was written only where it is short and no secret
 * could stand there.
 */
import { sep } from 'node:path'
import { Failure } from '../../core/failure.ts'

/** Lines and columns count from 1; line 0 means the file as a whole. */
export interface Place {
  /** Relative to the tree's directory, with a slash between levels. */
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface Problem extends Place {
  readonly message: string
}

/** Whether a file could not even be read as YAML, or says something that cannot be. */
export type ProblemKind = 'parse_error' | 'validation_error'

/** More than anybody reads at once. */
const TOLD = 100

export class TreeProblems extends Failure {
  readonly kind: ProblemKind
  readonly problems: readonly Problem[]

  constructor(kind: ProblemKind, problems: readonly Problem[]) {
    const rest = problems.length > TOLD ? [`… and ${problems.length - TOLD} more problems`] : []
    super('invalid_input', [...problems.slice(0, TOLD).map(lineOf), ...rest].join('\n'))
    this.kind = kind
    this.problems = problems
  }

  /** In one sentence, for where there is room for no more. */
  get summary(): string {
    const [first, ...others] = this.problems
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    return first === undefined ? 'the configuration cannot be used' : `${lineOf(first)}${more}`
  }
}

/** A name may hold anything, line breaks too. */
export function wholeFile(path: string): Place {
  return { file: path.replaceAll(sep, '/').replaceAll(/\p{Cc}/gu, '?'), line: 0, column: 0 }
}

/** Collects what is found while a tree is read, so that all of it can be told at once. */
export class Findings {
  readonly #problems = new Map<string, Problem>()
  readonly #warnings = new Map<string, Problem>()
  #kind: ProblemKind = 'validation_error'

  problem(at: Place, message: string): void {
    this.#add(this.#problems, at, message)
  }

  /** The file is no YAML that we read, or cannot be read at all. */
  unparsed(at: Place, message: string): void {
    this.#kind = 'parse_error'
    this.problem(at, message)
  }

  warn(at: Place, message: string): void {
    this.#add(this.#warnings, at, message)
  }

  get warnings(): readonly string[] {
    return [...this.#warnings.values()].toSorted(inOrder).map(lineOf)
  }

  throwProblems(): void {
    if (this.#problems.size === 0) return
    throw new TreeProblems(this.#kind, [...this.#problems.values()].toSorted(inOrder))
  }

  /** What an alias stands for is read more than once, and told once. */
  #add(found: Map<string, Problem>, { file, line, column }: Place, message: string): void {
    const problem = { file, line, column, message }
    found.set(lineOf(problem), problem)
  }
}

function lineOf({ file, line, column, message }: Problem): string {
  return line === 0 ? `${file}: ${message}` : `${file}:${line}:${column}: ${message}`
}

function inOrder(a: Problem, b: Problem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}
