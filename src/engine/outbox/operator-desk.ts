/** What a person at a terminal or in the console can do about letters. */

import { Failure } from '../../core/failure.ts'
import type { OutboxEntry } from '../../core/outbox/entry.ts'
import { type LetterEvent, letterEvent } from '../../core/outbox/letter-event.ts'
import { after, type EntryEvent } from '../../core/outbox/machine.ts'
import { presentEntry } from '../../core/outbox/present.ts'
import type { VaultFolder } from '../../ports/vault.ts'
import type { Account } from '../accounts/accounts.ts'
import type { OutboxDesk, Person } from './desk.ts'
import { FLOW_MS } from './flow.ts'
import type { OutboxParts } from './parts.ts'
import { isFiled } from './sent-copy.ts'

const MOST_LOOKED_AT = 10_000

/** `htmlText` is what a reader would see of an HTML version. */
export function createOutboxDesk(
  parts: OutboxParts,
  htmlText: (html: string, signal: AbortSignal) => Promise<string>,
): OutboxDesk {
  const { store, vault, notes, clock, audit, accounts, log } = parts

  async function named(id: string): Promise<OutboxEntry> {
    const exact = await store.get(id)
    if (exact !== undefined) return exact
    const [found, ...others] = (await store.list({ most: MOST_LOOKED_AT })).filter((entry) => entry.id.startsWith(id))
    if (found !== undefined && others.length === 0 && id !== '') return found
    const many = others.length > 0 && id !== ''
    const what = many ? 'several letters begin with that id; write more of it' : 'there is no letter with that id'
    throw new Failure('not_found', `${what}; "postern outbox" lists them`, { stage: 'outbox' })
  }

  /** Only what can happen to the letter at all is put on record. */
  async function onRecord(
    event: LetterEvent,
    entry: OutboxEntry,
    change: EntryEvent,
    { name, address, via }: Person,
  ): Promise<void> {
    after(entry.state, change)
    await audit.append(letterEvent(new Date(clock.now()).toISOString(), event, entry, { name, address, via }))
  }

  /** What was said counts, whether or not its file can be moved: nobody may be told that it does not. */
  async function shown(entry: OutboxEntry, folder: VaultFolder): Promise<void> {
    await vault.move(entry, folder).catch((err: unknown) => log.warn({ err }, 'a file of the vault could not be moved'))
  }

  function accountOf({ sending }: OutboxEntry): Account {
    const account = accounts.current.find(sending.account)
    if (account !== undefined) return account
    throw new Failure('not_found', 'the account of this letter is configured no more', { stage: 'outbox' })
  }

  return {
    async list(asked) {
      await store.expire(clock.now())
      return store.list(asked)
    },
    async show(id, signal) {
      const entry = await named(id)
      const { html, caller } = entry.sending
      const shownHtml = html === undefined ? undefined : await htmlText(html, signal)
      const read = await notes.since(caller, clock.now() - FLOW_MS)
      return { entry, text: presentEntry(entry, shownHtml), readers: mostOften(read.map(({ readers }) => readers)) }
    },
    async approve(id, person) {
      await store.expire(clock.now())
      const entry = await named(id)
      const event = { kind: 'approve', approval: { via: person.via, by: person.name, at: clock.now() } } as const
      await onRecord('outbox_approve', entry, event, person)
      const approved = await store.record(entry.id, event)
      await shown(approved, 'Approved')
      return approved
    },
    async reject(id, person, reason) {
      const entry = await named(id)
      const event = { kind: 'reject', by: person.name, at: clock.now(), reason } as const
      await onRecord('outbox_reject', entry, event, person)
      const rejected = await store.record(entry.id, event)
      await shown(rejected, 'Rejected')
      return rejected
    },
    async lookForCopy(id, signal) {
      const entry = await named(id)
      if (entry.state.kind !== 'needs_operator') {
        throw new Failure('conflict', 'what became of this letter is known', { stage: 'outbox' })
      }
      if (!(await isFiled(accountOf(entry), entry.messageId, signal))) return 'not_found'
      const person = { via: 'command', name: 'postern', address: 'sent folder' } as const
      const event = { kind: 'settle', at: clock.now(), wasSent: true } as const
      await onRecord('outbox_found_sent', entry, event, person)
      const sent = await store.record(entry.id, event)
      await shown(sent, 'Done')
      return 'found'
    },
    async settle(id, wasSent, person) {
      const entry = await named(id)
      const event = { kind: 'settle', at: clock.now(), wasSent } as const
      await onRecord(wasSent ? 'outbox_settle_sent' : 'outbox_settle_not_sent', entry, event, person)
      const settled = await store.record(entry.id, event)
      await shown(settled, 'Done')
      return settled
    },
  }
}

function mostOften(sets: readonly (readonly string[])[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const readers of sets) for (const reader of readers) counts.set(reader, (counts.get(reader) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([reader]) => reader)
}
