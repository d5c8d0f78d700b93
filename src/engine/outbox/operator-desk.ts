/** What a person at a terminal or in the console can do about letters. */

import { Failure } from '../../core/failure.ts'
import type { EntryKind, OutboxEntry } from '../../core/outbox/entry.ts'
import { type LetterEvent, letterEvent } from '../../core/outbox/letter-event.ts'
import { after } from '../../core/outbox/machine.ts'
import { presentParts } from '../../core/outbox/present.ts'
import type { Version } from '../../core/outbox/sending.ts'
import { summaryOf } from '../../core/outbox/unseen.ts'
import type { Change } from '../../ports/outbox-store.ts'
import type { VaultFolder } from '../../ports/vault.ts'
import type { Account } from '../accounts/accounts.ts'
import type { OutboxDesk, Person } from './desk.ts'
import { FLOW_MS } from './flow.ts'
import type { OutboxParts } from './parts.ts'
import { htmlOf, reviewEntry } from './review.ts'
import { isFiled } from './sent-copy.ts'
import { sendVersion, versionOf } from './versions.ts'

const MOST_LOOKED_AT = 10_000
const OVER: ReadonlySet<EntryKind> = new Set<EntryKind>(['rejected', 'expired', 'failed'])

/** The limit of what is pending is for agents: a person may replace any message. */
const NO_LIMIT = { messages: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER }

export function createOutboxDesk(parts: OutboxParts): OutboxDesk {
  return new OperatorDesk(parts)
}

class OperatorDesk implements OutboxDesk {
  readonly #parts: OutboxParts

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  async list(asked: Parameters<OutboxDesk['list']>[0]): Promise<readonly OutboxEntry[]> {
    await this.#parts.store.expire(this.#now)
    return this.#parts.store.list(asked)
  }

  async show(id: string, signal: AbortSignal): ReturnType<OutboxDesk['show']> {
    const entry = await this.#named(id)
    const parts = presentParts(entry, await htmlOf(entry, this.#parts.review, signal))
    const read = await this.#parts.notes.since(entry.sending.caller, this.#now - FLOW_MS)
    const readers = mostOften(read.map((note) => note.readers))
    const unknownReaders = read.some((note) => note.readers.length === 0)
    return { entry, ...parts, readers, unknownReaders }
  }

  async approve(id: string, person: Person, acknowledged = false): Promise<OutboxEntry> {
    await this.#parts.store.expire(this.#now)
    const entry = await this.#named(id)
    after(entry.state, { kind: 'approve', approval: { via: person.via, by: person.name, at: this.#now } })
    if (!acknowledged) await this.#requireSeen(entry)
    const approval = { via: person.via, by: person.name, at: this.#now }
    const approve = {
      entry,
      change: { kind: 'approve', approval },
      event: 'outbox_approve',
      folder: 'Approved',
    } as const
    const { version } = entry.sending
    if (version === undefined) return this.#said(approve, person)
    const [approved = entry] = await this.#allSaid(
      [approve, ...(await this.#replacedBy(version, entry.id, person))],
      person,
    )
    // No agent will ask for a version that a person has made.
    await sendVersion(approved, this.#parts).catch((err: unknown) =>
      this.#parts.log.warn({ err, id: entry.id }, 'a message that a person has approved was not sent'),
    )
    return (await this.#parts.store.get(entry.id)) ?? approved
  }

  async revise(id: string, how: Version['how'], person: Person, signal: AbortSignal): Promise<OutboxEntry> {
    const { store, audit } = this.#parts
    await store.expire(this.#now)
    const entry = await this.#named(id)
    after(entry.state, { kind: 'approve', approval: { via: person.via, by: person.name, at: this.#now } })
    const version = await versionOf(entry, how, person.name, this.#parts, signal)
    const same = await store.find(version.entry.digest, this.#now)
    if (same !== undefined && same.state.kind !== 'rejected') return same
    const { name, address, via } = person
    await audit.append(
      letterEvent(new Date(this.#now).toISOString(), 'outbox_revise', same ?? version.entry, { name, address, via }),
    )
    if (same !== undefined) return this.#reopened(same)
    const queued = await store.queue(version.entry, version.bytes, NO_LIMIT)
    if (queued.kind === 'full') throw new Error('a version by a person was refused by a limit')
    return queued.entry
  }

  /** Another request may have reopened it first. */
  async #reopened({ id }: OutboxEntry): Promise<OutboxEntry> {
    const { store } = this.#parts
    try {
      return await store.record(id, { kind: 'reopen' })
    } catch (error) {
      const now = error instanceof Failure && error.code === 'conflict' ? await store.get(id) : undefined
      if (now === undefined) throw error
      return now
    }
  }

  /** The original and its other versions are rejected as the version is approved: only one of them is ever sent. */
  async #replacedBy({ of, how }: Version, id: string, person: Person): Promise<readonly Step[]> {
    const all = await this.#parts.store.list({ most: MOST_LOOKED_AT })
    const family = all.filter((entry) => entry.id === of || entry.sending.version?.of === of)
    const others = family.filter((entry) => entry.id !== id && !OVER.has(entry.state.kind))
    const what = how === 'plain_text' ? 'as plain text' : 'without hidden content'
    const reason = `a version of it ${what} was approved instead; Postern sends that version (${id}), so do not send it again`
    const change = { kind: 'reject', by: person.name, at: this.#now, reason } as const
    return others.map((entry) => ({ entry, change, event: 'outbox_reject', folder: 'Rejected' }))
  }

  async reject(id: string, person: Person, reason: string | undefined): Promise<OutboxEntry> {
    const change = { kind: 'reject', by: person.name, at: this.#now, reason } as const
    return this.#said({ entry: await this.#named(id), change, event: 'outbox_reject', folder: 'Rejected' }, person)
  }

  async lookForCopy(id: string, signal: AbortSignal): ReturnType<OutboxDesk['lookForCopy']> {
    const entry = await this.#named(id)
    if (entry.state.kind !== 'needs_operator') {
      throw new Failure('conflict', 'what became of this letter is known', { stage: 'outbox' })
    }
    if (!(await isFiled(this.#accountOf(entry), entry.messageId, signal))) return 'not_found'
    const change = { kind: 'settle', at: this.#now, wasSent: true } as const
    const person = { via: 'command', name: 'postern', address: 'sent folder' } as const
    await this.#said({ entry, change, event: 'outbox_found_sent', folder: 'Done' }, person)
    return 'found'
  }

  async settle(id: string, wasSent: boolean, person: Person): Promise<OutboxEntry> {
    const change = { kind: 'settle', at: this.#now, wasSent } as const
    const event = wasSent ? 'outbox_settle_sent' : 'outbox_settle_not_sent'
    return this.#said({ entry: await this.#named(id), change, event, folder: 'Done' }, person)
  }

  /** A person who has not acknowledged what recipients will not see has not approved that it is sent. */
  async #requireSeen(entry: OutboxEntry): Promise<void> {
    const { unseen } = await reviewEntry(entry, this.#parts.review, new AbortController().signal)
    if (unseen.length === 0) return
    const what = `this message holds content that its recipients will not see: ${summaryOf(unseen)}`
    const cure = 'look at it, then approve it with the acknowledgement that this is sent as well'
    throw new Failure('conflict', `${what}; ${cure}`, { stage: 'outbox', details: { needs: 'acknowledgement' } })
  }

  get #now(): number {
    return this.#parts.clock.now()
  }

  async #named(id: string): Promise<OutboxEntry> {
    const { store } = this.#parts
    const exact = await store.get(id)
    if (exact !== undefined) return exact
    const [found, ...others] = (await store.list({ most: MOST_LOOKED_AT })).filter((entry) => entry.id.startsWith(id))
    if (found !== undefined && others.length === 0 && id !== '') return found
    const many = others.length > 0 && id !== ''
    const what = many ? 'several letters begin with that id; write more of it' : 'there is no letter with that id'
    throw new Failure('not_found', `${what}; "postern outbox" lists them`, { stage: 'outbox' })
  }

  #accountOf({ sending }: OutboxEntry): Account {
    const account = this.#parts.accounts.current.find(sending.account)
    if (account !== undefined) return account
    throw new Failure('not_found', 'the account of this letter is configured no more', { stage: 'outbox' })
  }

  async #said(step: Step, person: Person): Promise<OutboxEntry> {
    const [changed = step.entry] = await this.#allSaid([step], person)
    return changed
  }

  /** Only what can happen at all is recorded in the audit log, and it happens only once it is: all of it, or nothing. */
  async #allSaid(steps: readonly Step[], { name, address, via }: Person): Promise<readonly OutboxEntry[]> {
    const { store, audit } = this.#parts
    for (const { entry, change } of steps) after(entry.state, change)
    const ts = new Date(this.#now).toISOString()
    for (const { entry, event } of steps) await audit.append(letterEvent(ts, event, entry, { name, address, via }))
    const changed = await store.recordAll(steps.map(({ entry, change }) => ({ id: entry.id, event: change })))
    for (const [at, { folder }] of steps.entries()) await this.#shown(changed[at], folder)
    return changed
  }

  /** What was said counts, whether or not its file can be moved: nobody may be told that it does not. */
  async #shown(entry: OutboxEntry | undefined, folder: VaultFolder): Promise<void> {
    const { vault, log } = this.#parts
    if (entry === undefined) return
    await vault.move(entry, folder).catch((err: unknown) => log.warn({ err }, 'a file of the vault could not be moved'))
  }
}

/** What becomes of a message: in the store, in the audit log and in the vault. */
interface Step {
  readonly entry: OutboxEntry
  readonly change: Change['event']
  readonly event: LetterEvent
  readonly folder: VaultFolder
}

function mostOften(sets: readonly (readonly string[])[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const readers of sets) for (const reader of readers) counts.set(reader, (counts.get(reader) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([reader]) => reader)
}
