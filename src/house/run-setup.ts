/** `postern setup` at this terminal, or without one. */
import type { Readable } from 'node:stream'
import { openBrowser } from '../adapters/oauth/browser.ts'
import { Failure } from '../core/failure.ts'
import type { SetupChoice } from '../surfaces/cli/setup/choice.ts'
import type { Prompter } from '../surfaces/cli/setup/prompter.ts'
import { setupCommand } from '../surfaces/cli/setup/setup.ts'
import { unasked } from '../surfaces/cli/setup/unasked.ts'
import type { OperatorParts } from './operator.ts'
import { setupDesk } from './setup-desk.ts'

export async function runSetup(choice: SetupChoice, parts: OperatorParts): Promise<number> {
  const { terminal, platform, stdin } = parts
  const stopping = new AbortController()
  const stop = (): void => stopping.abort(new Failure('cancelled', 'stopped; nothing was written'))
  parts.onStop(stop)
  const { signal } = stopping
  const prompter = choice.yes ? unasked(terminal) : await asking(parts, stop, signal)
  const desk = setupDesk(choice.config, parts)
  return setupCommand(choice, {
    desk,
    prompter,
    terminal,
    openBrowser: (url) => openBrowser(url, platform),
    signal,
  }).finally(() => stdin.pause())
}

async function asking({ stdin, isTerminal }: OperatorParts, stop: () => void, signal: AbortSignal): Promise<Prompter> {
  if (!isTerminal || !isTty(stdin)) {
    const cure = 'add --yes and what you want as options; "postern setup --help" lists them'
    throw new Failure('invalid_input', `there is nobody here who could be asked: ${cure}`)
  }
  // A terminal that is gone asks nobody any more.
  stdin.once('end', stop)
  const { clackPrompter } = await import('../surfaces/cli/setup/clack-prompter.ts')
  return clackPrompter({ input: stdin, output: process.stderr, signal })
}

function isTty(stream: Readable): boolean {
  return 'isTTY' in stream && stream.isTTY === true
}
