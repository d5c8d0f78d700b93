/** A tool set and a gate without mail behind them: what callers meet is then this folder's code and the SDK alone. */
import { z } from 'zod'
import type { ActionKind } from '../../src/core/action.ts'
import type { Caller } from '../../src/core/call/caller.ts'
import type { Outcome } from '../../src/core/call/outcome.ts'
import { Failure } from '../../src/core/failure.ts'
import { ownerPolicy } from '../../src/core/policy/policy.ts'
import type { Call, Gate, Unfit } from '../../src/engine/gate/gate.ts'
import { CallsUnderWay } from '../../src/surfaces/mcp/calls.ts'
import type { ServerParts } from '../../src/surfaces/mcp/server.ts'
import { defineTool, type Refusal, type ToolSet } from '../../src/surfaces/tools/tool.ts'

export const caller: Caller = { id: 'local', address: 'stdio', policy: ownerPolicy(false) }

const output = z.object({ account: z.string(), ended: z.string() })

/** The account named in a call decides what the gate does with it. */
const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Say back which account was named.',
  effect: 'read',
  input: z.strictObject({
    account: z.string().min(1).max(64).describe('Any name'),
    limit: z.int().min(1).max(50).default(10),
    mode: z.enum(['add', 'remove']).optional(),
  }),
  output,
  action: ({ account }) => {
    if (account === 'impossible') throw new Failure('invalid_input', 'account must be possible')
    if (account === 'buggy') throw new Error('secret inner words')
    return { kind: 'list_mailboxes', account }
  },
  render: (outcome, { account }) => {
    if (outcome.kind !== 'failed') return { kind: 'json', value: { account, ended: outcome.kind } }
    if (outcome.failure.code === 'cancelled') return { kind: 'json', value: { account, ended: 'cancelled' } }
    return refuse(outcome.failure)
  },
})

const erase = defineTool({
  name: 'erase',
  title: 'Erase',
  description: 'Erase nothing at all.',
  effect: 'destroy',
  input: z.strictObject({}),
  output,
  action: () => ({ kind: 'list_accounts' }),
  render: ({ kind }) => ({ kind: 'json', value: { account: '', ended: kind } }),
})

export const fakeSet: ToolSet = {
  name: 'fake',
  folders: 'names',
  tools: [echo, erase],
  resources: {
    templates: [
      {
        uriTemplate: 'fake://{account}/text',
        name: 'text',
        title: 'Text',
        description: 'A text',
        mimeType: 'text/plain',
      },
    ],
    prepare(uri) {
      const [, account, form] = /^fake:\/\/([a-z]+)\/(text|bytes)$/.exec(uri) ?? []
      if (account === undefined) throw new Failure('not_found', 'there is no such resource')
      return {
        action: { kind: 'list_mailboxes', account },
        render: () =>
          form === 'text'
            ? { kind: 'contents', mimeType: 'text/plain', body: { text: `about ${account}` } }
            : { kind: 'contents', mimeType: 'application/octet-stream', body: { blob: new Uint8Array([1, 2, 255]) } },
      }
    },
  },
  refuse: (failure) => refuse(failure),
}

function refuse(failure: Failure): Refusal {
  const code = failure.code === 'not_found' ? -32002 : -32602
  return { kind: 'error', code, message: failure.message, data: { code: failure.code } }
}

function failed(failure: Failure) {
  return { kind: 'failed', failure, allowance: undefined } as const
}

export class FakeGate implements Gate {
  readonly calls: { readonly caller: string; readonly tool: string }[] = []
  /** Calls that never ran. */
  readonly refused: string[] = []
  /** Reasons why calls were cancelled, in order. */
  readonly cancelled: unknown[] = []

  async run<K extends ActionKind>({ caller, tool, action, signal }: Call<K>): Promise<Outcome<K>> {
    this.calls.push({ caller: caller.id, tool })
    const timing = { nowUtc: '2026-01-01T00:00:00.000Z', durationMs: 1 }
    const account = 'account' in action ? action.account : ''
    if (account === 'absent') return { ...failed(new Failure('not_found', 'no such account')), timing }
    if (account === 'broken') throw new Error('secret inner words')
    if (account.startsWith('slow')) {
      const failure = await this.#wait(signal, Number(account.slice(4)))
      if (failure !== undefined) return { ...failed(failure), timing }
    }
    return { kind: 'denied', denial: { kind: 'deny', reason: 'rate_limited' }, timing }
  }

  async refuse({ tool, reason }: Unfit): Promise<void> {
    this.refused.push(`${tool} ${reason}`)
  }

  #wait(signal: AbortSignal, ms: number): Promise<Failure | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), ms)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        this.cancelled.push(signal.reason)
        resolve(new Failure('cancelled', 'cancelled'))
      })
    })
  }
}

export function fakeParts(gate: Gate, bugs: Error[] = []): ServerParts {
  return {
    version: '0.0.0-test',
    instructions: 'A server for tests.',
    gate,
    clock: { now: () => 0, elapsed: () => 0 },
    calls: new CallsUnderWay(),
    onBug: (error) => void bugs.push(error),
  }
}
