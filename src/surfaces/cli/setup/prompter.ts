/**
 * Asks a person. Every question names the option that answers it in a script.
 *
 * Promises: whoever stops instead of answering ends it all with `Failure('cancelled')`. Nothing reaches stdout.
 */
import { Failure } from '../../../core/failure.ts'

export interface Question {
  /** As it is written on the command line. */
  readonly flag: string
  readonly message: string
}

export interface Option<T extends string> {
  readonly value: T
  readonly label: string
  readonly hint?: string
}

export interface Prompter {
  /** Whether a person can be asked again. */
  readonly interactive: boolean
  text(question: TextQuestion): Promise<string>
  secret(question: Question): Promise<string>
  choose<T extends string>(question: Choice<T>): Promise<T>
  several<T extends string>(question: Several<T>): Promise<readonly T[]>
  agree(question: Question & { readonly initial: boolean }): Promise<boolean>
  /** Told, not asked. */
  say(text: string): void
  /** Shows that something is under way. */
  busy<T>(message: string, work: () => Promise<T>): Promise<T>
}

export interface TextQuestion extends Question {
  readonly initial?: string
  /** What is wrong with an answer. */
  problem?(answer: string): string | undefined
}

export interface Choice<T extends string> extends Question {
  readonly options: readonly Option<T>[]
  readonly initial?: T
}

export interface Several<T extends string> extends Question {
  readonly options: readonly Option<T>[]
  readonly initial: readonly T[]
}

export function stopped(): Failure {
  return new Failure('cancelled', 'stopped; nothing was written')
}
