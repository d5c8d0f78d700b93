import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EntryKind, EntryState, OutboxEntry } from '../../src/core/outbox/entry.ts'
import { after, type EntryEvent, expiryOf, isMeantBy, isOpen } from '../../src/core/outbox/machine.ts'
import type { OutboxStore } from '../../src/ports/outbox-store.ts'
import { approvalAt, DAY, NOW, newEntry } from './letters.ts'
import { newPath, openStore, queued } from './scene.ts'

const LIMIT = { most: 3, lengthMs: DAY / 8 }
const LETTERS = 4

/** The outbox as one would write it who had no disk: a list, and the moments of what counts. */
class Naive {
  readonly seen = new Set<EntryKind>()
  readonly entries = new Map<string, OutboxEntry>()
  readonly attempts = new Map<string, number>()

  queue(entry: OutboxEntry): OutboxEntry {
    for (const known of this.entries.values()) {
      if (known.digest !== entry.digest || !isOpen(known.state)) continue
      if (expiryOf(known.state, known.expires, entry.created) === undefined) return known
      this.set(known, { kind: 'expire', at: entry.created })
    }
    const sent = [...this.entries.values()].filter(
      ({ digest, state, expires }) =>
        digest === entry.digest && state.kind === 'sent' && isMeantBy(state, expires, entry.created),
    )
    const latest = sent.toSorted((a, b) => sentAt(a) - sentAt(b)).at(-1)
    if (latest !== undefined) return latest
    this.entries.set(entry.id, entry)
    return entry
  }

  record(id: string, event: EntryEvent): OutboxEntry | 'refused' {
    const entry = this.entries.get(id)
    if (entry === undefined) return 'refused'
    try {
      const changed = this.set(entry, event)
      const isReleased =
        event.kind === 'settle' ? !event.wasSent : ['step_back', 'give_back', 'fail'].includes(event.kind)
      if (isReleased) this.attempts.delete(id)
      return changed
    } catch {
      return 'refused'
    }
  }

  claim(id: string, at: number): unknown {
    const entry = this.entries.get(id)
    if (entry === undefined) return 'refused'
    const expiry = expiryOf(entry.state, entry.expires, at)
    if (expiry !== undefined) return { kind: 'gone', entry: this.set(entry, expiry) }
    if (entry.state.kind !== 'approved') return { kind: 'gone', entry }
    const inWindow = [...this.attempts.values()].filter((then) => then > at - LIMIT.lengthMs).toSorted((a, b) => b - a)
    const blocking = inWindow[LIMIT.most - 1]
    if (blocking !== undefined) return { kind: 'limited', waitMs: blocking + LIMIT.lengthMs - at }
    this.attempts.set(id, at)
    return { kind: 'claimed', entry: this.set(entry, { kind: 'claim', at }) }
  }

  expire(now: number): ReadonlySet<string> {
    const over = [...this.entries.values()].filter((one) => expiryOf(one.state, one.expires, now) !== undefined)
    for (const entry of over) this.set(entry, { kind: 'expire', at: now })
    return new Set(over.map(({ id }) => id))
  }

  set(entry: OutboxEntry, event: EntryEvent): OutboxEntry {
    const changed = { ...entry, state: after(entry.state, event) }
    this.seen.add(changed.state.kind)
    this.entries.set(entry.id, changed)
    return changed
  }
}

function sentAt({ state }: OutboxEntry): number {
  return state.kind === 'sent' ? state.at : 0
}

type Command = { readonly letter: number; readonly at: number } & (
  | { readonly kind: 'queue' | 'claim' | 'expire' | 'restart' }
  | { readonly kind: 'record'; readonly event: Exclude<EntryEvent, { kind: 'claim' }> }
)

const moment = fc
  .oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: DAY / 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * DAY }) },
  )
  .map((later) => NOW + later)
const event: fc.Arbitrary<Exclude<EntryEvent, { kind: 'claim' }>> = fc.oneof(
  moment.map((at) => ({ kind: 'approve', approval: approvalAt(at) }) as const),
  moment.map((at) => ({ kind: 'reject', by: 'anna', at, reason: undefined }) as const),
  fc.constantFrom({ kind: 'withdraw' } as const, { kind: 'step_back' } as const, { kind: 'reopen' } as const),
  fc.constant({ kind: 'give_back', reason: 'timeout' } as const),
  moment.map((at) => ({ kind: 'fail', at, reason: 'rejected' }) as const),
  fc.record({ kind: fc.constant('deliver' as const), at: moment, refused: fc.constant([]), filed: fc.boolean() }),
  moment.map((at) => ({ kind: 'lose', at }) as const),
  fc.constantFrom({ kind: 'file' } as const, { kind: 'tell' } as const),
  fc.record({ kind: fc.constant('settle' as const), at: moment, wasSent: fc.boolean() }),
)
const letter = fc.nat({ max: LETTERS - 1 })
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('queue' as const), letter, at: moment }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim' as const), letter, at: moment }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('expire' as const, 'restart' as const), letter, at: moment }),
  },
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('record' as const), letter, at: moment, event }) },
)

/** One way through every state, so that none is left to chance. */
const EVERY_STATE: readonly Command[] = [
  ...[0, 1, 2].flatMap((letter): Command[] => [
    { kind: 'record', letter, at: NOW, event: { kind: 'approve', approval: approvalAt(NOW) } },
    { kind: 'claim', letter, at: NOW },
  ]),
  { kind: 'record', letter: 0, at: NOW, event: { kind: 'deliver', at: NOW, refused: [], filed: true } },
  { kind: 'record', letter: 1, at: NOW, event: { kind: 'fail', at: NOW, reason: 'rejected' } },
  { kind: 'record', letter: 2, at: NOW, event: { kind: 'lose', at: NOW } },
  { kind: 'queue', letter: 0, at: NOW },
  { kind: 'record', letter: 0, at: NOW, event: { kind: 'tell' } },
  { kind: 'record', letter: 0, at: NOW, event: { kind: 'tell' } },
  { kind: 'queue', letter: 0, at: NOW + DAY },
  { kind: 'queue', letter: 1, at: NOW },
  { kind: 'record', letter: 0, at: NOW, event: { kind: 'reject', by: 'anna', at: NOW, reason: undefined } },
  { kind: 'expire', letter: 1, at: NOW + 2 * DAY },
]

const refusal = (error: unknown): string => {
  expect(error).toMatchObject({ code: expect.stringMatching(/^(?:conflict|not_found)$/) })
  return 'refused'
}

test('whatever is done in whatever order, the store is where the machine says', async () => {
  const kinds = new Set<EntryKind>()
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 60 }), async (commands) => {
      const path = newPath()
      const naive = new Naive()
      const sendings = Array.from({ length: LETTERS }, (_, number) => newEntry({ subject: `letter ${number}` }))
      const current = sendings.map(({ id }) => id)
      let store = openStore(path)
      for (const one of sendings) expect(await queued(store, one)).toEqual(naive.queue(one))
      for (const one of commands) {
        const id = current[one.letter] ?? ''
        if ('event' in one) {
          expect(await store.record(id, one.event).catch(refusal)).toEqual(naive.record(id, one.event))
          continue
        }
        if (one.kind === 'restart') {
          await store.close()
          store = openStore(path)
          continue
        }
        if (one.kind === 'expire') {
          expect(new Set((await store.expire(one.at)).map((entry) => entry.id))).toEqual(naive.expire(one.at))
          continue
        }
        if (one.kind === 'queue') {
          const fresh = {
            ...newEntry({ subject: `letter ${one.letter}` }, one.at),
            state: { kind: 'waiting' } as const,
          }
          const known = await queued(store, fresh)
          expect(known).toEqual(naive.queue(fresh))
          current[one.letter] = known.id
          continue
        }
        expect(await store.claim(id, one.at, LIMIT).catch(refusal)).toEqual(naive.claim(id, one.at))
      }
      await compare(store, naive)
      for (const kind of naive.seen) kinds.add(kind)
      await store.close()
    }),
    { numRuns: 60, examples: [[[...EVERY_STATE]]] },
  )
  // Else it would have tested little. The eighth, in which all begin, is seldom entered again.
  expect(kinds.size).toBeGreaterThanOrEqual(7)
})

async function compare(store: OutboxStore, naive: Naive): Promise<void> {
  const entries = await store.list({ most: 1000 })
  expect(new Map(entries.map((entry) => [entry.id, entry]))).toEqual(naive.entries)
  for (const { id, state } of entries) {
    const has = await store.bytes(id).then(
      () => true,
      () => false,
    )
    expect([state, has]).toEqual([state, isKept(state)])
  }
}

function isKept(state: EntryState): boolean {
  return isOpen(state) || (state.kind === 'sent' && !state.filed)
}
