/** A gate that asks before it answers, and the one tool that reaches it: what a client meets is then the surface alone. */
import { z } from 'zod'
import type { ActionKind } from '../../src/core/action.ts'
import type { Caller } from '../../src/core/call/caller.ts'
import type { Outcome } from '../../src/core/call/outcome.ts'
import type { Question } from '../../src/core/call/question.ts'
import { Failure } from '../../src/core/failure.ts'
import { ownerPolicy } from '../../src/core/policy/policy.ts'
import type { Call, Gate } from '../../src/engine/gate/gate.ts'
import { CallsUnderWay } from '../../src/surfaces/mcp/calls.ts'
import type { ServerParts } from '../../src/surfaces/mcp/server.ts'
import { defineTool, type ToolSet } from '../../src/surfaces/tools/tool.ts'

export const caller: Caller = { id: 'local', address: 'stdio', policy: ownerPolicy(false) }

/** The account is the letter. */
const send = defineTool({
  name: 'send',
  title: 'Send',
  description: 'Send a letter if a person says so.',
  effect: 'send',
  input: z.strictObject({ letter: z.string() }),
  output: z.looseObject({}),
  action: ({ letter }) => ({ kind: 'list_mailboxes', account: letter }),
  render: (outcome) => {
    const text = outcome.kind === 'failed' ? outcome.failure.message : 'nothing was asked'
    return { kind: 'text', text, value: {} }
  },
})

export const askingSet: ToolSet = {
  name: 'asking',
  folders: 'names',
  tools: [send],
  refuse: ({ message }) => ({ kind: 'text', text: message, value: {}, isError: true }),
}

export const questionAbout = (letter: string): Question => ({
  title: 'A letter waits',
  text: `the letter ${letter}`,
  ...(letter.startsWith('notice') && { isNotice: true }),
})

export class AskingGate implements Gate {
  /** What each call heard from the person. */
  readonly heard: string[] = []
  /** Changes what is asked, as an edited letter would. */
  suffix = ''

  async run<K extends ActionKind>({ action, ask, signal }: Call<K>): Promise<Outcome<K>> {
    const letter = 'account' in action ? action.account : ''
    const heard = (await ask?.(questionAbout(letter + this.suffix))) ?? 'cannot ask'
    this.heard.push(signal.aborted ? `${heard}, cancelled` : heard)
    const timing = { nowUtc: '2026-01-01T00:00:00.000Z', durationMs: 1 }
    return { kind: 'failed', failure: new Failure('rejected', heard), allowance: undefined, timing }
  }

  async refuse(): Promise<void> {}
}

export function askingParts(gate: Gate, patienceMs?: number): ServerParts {
  return {
    version: '0.0.0-test',
    gate,
    clock: { now: () => 0, elapsed: () => 0 },
    calls: new CallsUnderWay(),
    onBug: (error) => {
      throw error
    },
    ...(patienceMs !== undefined && { patienceMs }),
  }
}
