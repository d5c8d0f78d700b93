/**
 * What is decided about a letter while a call is heard: by a file in the vault, in the agent's own program, or by a rule.
 *
 * INVARIANT: what somebody has decided is on record before anything comes of it, and once, however many calls of a process find it
 * at the same moment. Where another call was faster, the letter is what that one has made of it.
 */
import { Failure } from '../../core/failure.ts'
import type { Approval, OutboxEntry } from '../../core/outbox/entry.ts'
import { letterEvent } from '../../core/outbox/letter-event.ts'
import { after, type EntryEvent } from '../../core/outbox/machine.ts'
import type { OutboxParts } from './parts.ts'

type Change = Extract<EntryEvent, { kind: 'approve' | 'reject' }>

/** The command line and the console put theirs on record themselves. A rule decides for nobody: the call is its record. */
const DECIDED_AT: Partial<Record<Approval['via'], string>> = { file: 'vault', elicitation: 'agent' }

export class Decisions {
  readonly #parts: Pick<OutboxParts, 'store' | 'audit'>
  readonly #underWay = new Map<string, Promise<OutboxEntry>>()

  constructor(parts: Pick<OutboxParts, 'store' | 'audit'>) {
    this.#parts = parts
  }

  approve(entry: OutboxEntry, approval: Approval): Promise<OutboxEntry> {
    return this.#once(`approve ${entry.id}`, () => this.#take(entry, { kind: 'approve', approval }, approval))
  }

  /** By a file in the vault. */
  reject(entry: OutboxEntry, at: number): Promise<OutboxEntry> {
    const by = { via: 'file', by: 'vault', at } as const
    const change = { kind: 'reject', by: by.by, at, reason: undefined } as const
    return this.#once(`reject ${entry.id}`, () => this.#take(entry, change, by))
  }

  async withdraw({ id }: OutboxEntry): Promise<OutboxEntry> {
    return this.#record(id, { kind: 'withdraw' })
  }

  async #once(key: string, take: () => Promise<OutboxEntry>): Promise<OutboxEntry> {
    const taken = this.#underWay.get(key) ?? take().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, taken)
    return taken
  }

  async #take(entry: OutboxEntry, change: Change, { via, by, at }: Approval): Promise<OutboxEntry> {
    const { store, audit } = this.#parts
    const latest = (await store.get(entry.id)) ?? entry
    if (!canBe(latest, change)) return latest
    const address = DECIDED_AT[via]
    if (address !== undefined) {
      const event = change.kind === 'approve' ? 'outbox_approve' : 'outbox_reject'
      await audit.append(letterEvent(new Date(at).toISOString(), event, latest, { name: by, address, via }))
    }
    return this.#record(entry.id, change)
  }

  async #record(id: string, event: Change | { readonly kind: 'withdraw' }): Promise<OutboxEntry> {
    const { store } = this.#parts
    try {
      return await store.record(id, event)
    } catch (error) {
      const known = error instanceof Failure && error.code === 'conflict' ? await store.get(id) : undefined
      if (known === undefined) throw error
      return known
    }
  }
}

function canBe({ state }: OutboxEntry, change: Change): boolean {
  try {
    after(state, change)
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'conflict') return false
    throw error
  }
}
