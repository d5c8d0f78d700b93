/** A Dovecot whose mailboxes are followed, and what a follower knows of one. */
import type { ImapOptions } from '../../src/adapters/imap/line/options.ts'
import type { Changes, FolderState, Row } from '../../src/core/mirror/state.ts'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import type { MailboxAt, MailSource } from '../../src/ports/mail-source.ts'
import { type Desk, startDesk } from '../dovecot/desk.ts'
import { capabilityWithout, type DovecotOptions } from '../dovecot/dovecot.ts'
import { never } from '../mail-source/bench.ts'

export const SHAPES: Readonly<Record<string, Partial<DovecotOptions>>> = {
  'with QRESYNC': {},
  'with CONDSTORE': { capability: capabilityWithout('QRESYNC') },
  'with neither': { capability: capabilityWithout('QRESYNC', 'CONDSTORE') },
  'with neither, nor UNSELECT': { capability: capabilityWithout('QRESYNC', 'CONDSTORE', 'UNSELECT') },
  'with CONDSTORE, without UNSELECT': { capability: capabilityWithout('QRESYNC', 'UNSELECT') },
}

export type Feed = MailSource & MailFeed

export interface FeedDesk extends Desk {
  readonly feed: Feed
  another(options: Partial<ImapOptions>): Feed
}

export async function feedDesk(
  server: Partial<DovecotOptions> = {},
  settings: Partial<ImapOptions> = {},
): Promise<FeedDesk> {
  const desk = await startDesk(server, settings)
  return { ...desk, feed: desk.source as Feed, another: (options) => desk.make(options) as Feed }
}

export async function allRows(feed: MailFeed, at: MailboxAt, from: number, to: number): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of feed.rows(at, { from, to }, never())) rows.push(...batch)
  return rows
}

/** Knows a mailbox by nothing but what a feed tells. */
export class Follower {
  readonly #feed: MailFeed
  readonly #mailbox: string
  #state: FolderState | undefined
  readonly #flags = new Map<number, readonly string[]>()

  constructor(feed: MailFeed, mailbox: string) {
    this.#feed = feed
    this.#mailbox = mailbox
  }

  get state(): FolderState | undefined {
    return this.#state
  }

  async follow(): Promise<Changes['kind']> {
    const known = this.#state
    if (known === undefined) {
      await this.#refill(await this.#feed.state(this.#mailbox, never()))
      return 'remade'
    }
    const changes = await this.#feed.changes(this.#mailbox, known, never())
    if (changes.kind === 'remade') await this.#refill(changes.state)
    if (changes.kind === 'changed') await this.#apply(known, changes)
    return changes.kind
  }

  /** Uids and flags, in order. */
  listing(): [uid: number, flags: string[]][] {
    return [...this.#flags]
      .map(([uid, flags]): [number, string[]] => [uid, [...flags].sort()])
      .sort(([a], [b]) => a - b)
  }

  async #refill(state: FolderState): Promise<void> {
    this.#flags.clear()
    await this.#add(state, 1)
  }

  async #apply(known: FolderState, { state, flags, gone }: Extract<Changes, { kind: 'changed' }>): Promise<void> {
    if (gone.kind === 'these') for (const uid of gone.uids) this.#flags.delete(uid)
    else {
      const left = new Set(gone.uids)
      for (const uid of this.#flags.keys()) if (!left.has(uid)) this.#flags.delete(uid)
    }
    for (const { uid, flags: now } of flags) {
      if (uid >= known.uidNext) throw new Error('flags of a message that was not known')
      if (this.#flags.has(uid)) this.#flags.set(uid, now)
    }
    await this.#add(state, known.uidNext)
  }

  async #add(state: FolderState, from: number): Promise<void> {
    this.#state = state
    const at = { mailbox: this.#mailbox, uidvalidity: state.uidvalidity }
    for (const { uid, flags } of await allRows(this.#feed, at, from, state.uidNext - 1)) this.#flags.set(uid, flags)
  }
}
