/**
 * The uids of a Gmail account: Gmail knows none, so Postern counts them, per label, on first sight, newest last.
 *
 * INVARIANT: a uid of a label stands for one message for ever, in every process that shares the file. A label keeps its uidvalidity
 * as long as its id lives; a label made anew has a new id and so another. A message that left a label and came back has a new uid
 * there, if anybody noticed that it had left. Of a message only what never changes is kept: its thread, date and size; never
 * its labels.
 */
import type { DatabaseFiles } from '../../../ports/database-files.ts'
import { UidDatabase } from './database.ts'
import { Rows } from './rows.ts'

export interface LabelState {
  readonly uidvalidity: number
  readonly uidNext: number
}

/** Where a label stands in this file. */
export interface LabelStanding extends LabelState {
  /** How many messages are known to be in it. */
  readonly messages: number
  /** How often `\Deleted` was put on or taken off in it. */
  readonly marks: number
  /** The place in Gmail's history up to which all messages that came and went are known; undefined where not all are. */
  readonly history: string | undefined
}

export interface KnownMessage {
  readonly uid: number
  /** Gmail's own id. */
  readonly id: string
  /** Marked `\Deleted`, which is a mark of ours: Gmail has none. */
  readonly deleted: boolean
}

export interface MessagePlace extends LabelState {
  readonly label: string
  readonly uid: number
}

/** What never changes under a Gmail id. */
export interface MessageFacts {
  readonly id: string
  readonly thread: string
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  readonly size: number
}

export interface UidStore {
  /** Known from now on, if it was not before. */
  state(label: string, signal: AbortSignal): Promise<LabelState>
  /** Uids for these messages of the label, newest first; those that have none get one. */
  assign(label: string, ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>
  /**
   * The same where these are all that the label holds: others below `fence`, the `uidNext` from before the label was looked
   * at, have left it.
   */
  settle(
    label: string,
    ids: readonly string[],
    fence: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>>
  /** Those that are known in the label, below `fence`, and are not among these. */
  others(label: string, ids: readonly string[], fence: number, signal: AbortSignal): Promise<readonly string[]>
  /** Those of these uids that stand for a message. Whether it still has the label, only Gmail knows. */
  lookUp(label: string, uids: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, KnownMessage>>
  standing(label: string, signal: AbortSignal): Promise<LabelStanding>
  /** Everything that is known to be in the label, smallest uid first. */
  all(label: string, signal: AbortSignal): Promise<readonly KnownMessage[]>
  /** Gmail's ids of those marked, or no longer marked, after so many marks. */
  markedSince(label: string, marks: number, signal: AbortSignal): Promise<readonly string[]>
  /** All that came and went up to there is known. */
  noteHistory(label: string, history: string, signal: AbortSignal): Promise<void>
  /** The message has left the label. */
  drop(label: string, ids: readonly string[], signal: AbortSignal): Promise<void>
  mark(label: string, uids: readonly number[], deleted: boolean, signal: AbortSignal): Promise<void>
  /** Everywhere the message was seen. */
  places(id: string, signal: AbortSignal): Promise<readonly MessagePlace[]>
  learn(facts: readonly MessageFacts[], signal: AbortSignal): Promise<void>
  facts(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, MessageFacts>>
  /** Everything. Processes that share the file see it, and count anew under another uidvalidity. */
  forget(signal: AbortSignal): Promise<void>
  close(): void
}

export interface UidStoreParts {
  readonly path: string
  readonly databases: DatabaseFiles
  readonly now?: () => number
}

export function createUidStore({ path, databases, now = Date.now }: UidStoreParts): UidStore {
  const db = new UidDatabase(databases, path)
  const rows = new Rows(db.file, now)
  return {
    state: async (label, signal) => {
      const known = await db.read(signal, () => rows.label(label))
      const { uidvalidity, uidNext } = known ?? (await db.write(signal, () => rows.made(label)))
      return { uidvalidity, uidNext }
    },
    assign: (label, ids, signal) => assign(db, rows, label, ids, signal),
    settle: async (label, ids, fence, signal) => {
      const left = await db.read(signal, () => rows.others(label, ids, fence))
      if (left.length > 0) await db.write(signal, () => rows.dropOthers(label, ids, fence))
      return assign(db, rows, label, ids, signal)
    },
    others: (label, ids, fence, signal) => db.read(signal, () => rows.others(label, ids, fence)),
    lookUp: (label, uids, signal) => db.read(signal, () => rows.known(label, uids)),
    standing: (label, signal) => standing(db, rows, label, signal),
    all: (label, signal) => db.read(signal, () => rows.all(label)),
    markedSince: (label, marks, signal) => db.read(signal, () => rows.markedSince(label, marks)),
    noteHistory: (label, history, signal) => db.write(signal, () => rows.noteHistory(label, history)),
    drop: (label, ids, signal) => db.write(signal, () => rows.drop(label, ids)),
    mark: (label, uids, deleted, signal) => db.write(signal, () => rows.mark(label, uids, deleted)),
    places: (id, signal) => db.read(signal, () => rows.places(id)),
    learn: (facts, signal) => (facts.length === 0 ? noWork() : db.write(signal, () => rows.learn(facts))),
    facts: (ids, signal) => db.read(signal, () => rows.facts(ids)),
    forget: async (signal) => {
      await db.write(signal, () => rows.forget())
      await db.shrink(signal)
    },
    close: () => db.file.close(),
  }
}

async function noWork(): Promise<void> {}

async function standing(db: UidDatabase, rows: Rows, label: string, signal: AbortSignal): Promise<LabelStanding> {
  const known = await db.read(signal, () => rows.standing(label))
  if (known !== undefined) return known
  const { uidvalidity, uidNext } = await db.write(signal, () => rows.made(label))
  return { uidvalidity, uidNext, messages: 0, marks: 0, history: undefined }
}

/** Mostly all of them are known: then nothing is written, and nobody waits for another process. */
async function assign(
  db: UidDatabase,
  rows: Rows,
  label: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const known = await db.read(signal, () => rows.uids(label, ids))
  if (ids.every((id) => known.has(id))) return known
  return db.write(signal, () => {
    const present = rows.uids(label, ids)
    rows.add(
      label,
      ids.filter((id) => !present.has(id)),
    )
    return rows.uids(label, ids)
  })
}
