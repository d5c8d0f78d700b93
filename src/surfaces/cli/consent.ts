/**
 * Asks a person at the terminal.
 *
 * INVARIANT: only a plain yes is one; where nobody can be asked, nobody has agreed.
 */
import { Failure } from '../../core/failure.ts'
import type { Terminal } from './program.ts'

export interface ConsentParts {
  readonly terminal: Terminal
  /** A person sits at this terminal and can be asked. */
  readonly interactive: boolean
  /** One line from stdin, bounded. */
  readLine(signal: AbortSignal): Promise<string>
  onStop(stop: () => void): void
}

/** `stopped`: what is so if the person stops instead of answering. */
export async function isAgreed(question: string, stopped: string, parts: ConsentParts): Promise<boolean> {
  requirePerson(parts)
  const stopping = new AbortController()
  parts.onStop(() => stopping.abort(new Failure('cancelled', `stopped; ${stopped}`)))
  parts.terminal.complain(`${question} [y/N] `)
  return /^y(es)?$/i.test(await parts.readLine(stopping.signal))
}

/** For where there is something to do before asking. */
export function requirePerson({ interactive }: Pick<ConsentParts, 'interactive'>): void {
  if (!interactive) throw new Failure('invalid_input', 'add --yes: there is nobody here who could be asked')
}
