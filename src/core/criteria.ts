/** Search criteria as tools take them, and what they mean. */

/** What to look for in one mailbox. All terms given must hold; an empty object matches everything. */
export interface Criteria {
  /** A plain word or phrase, anywhere in headers or body. */
  readonly text?: string
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  readonly unread?: true
  readonly flagged?: boolean
  /** Bytes of the whole message: more than, fewer than. */
  readonly larger?: number
  readonly smaller?: number
  /** Inclusive days, UTC, `YYYY-MM-DD`, compared with the day the server received the message (INTERNALDATE). */
  readonly since?: string
  readonly until?: string
}

/** Criteria as a caller words them: a span of days that ends today still has to be turned into a date. */
export interface AskedCriteria extends Criteria {
  readonly lastDays?: number
}

/** Where a page ended in the order newest first: by received time, then uid, both descending. */
export interface Position {
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  readonly uid: number
}

const DAY_MS = 86_400_000

/** Newest first; negative when `a` comes before `b`. */
export function newestFirst(a: Position, b: Position): number {
  return b.received - a.received || b.uid - a.uid
}

/** `lastDays: n` means since the day n days before `nowMs`, UTC. */
export function resolveDays({ lastDays, ...criteria }: AskedCriteria, nowMs: number): Criteria {
  if (lastDays === undefined) return criteria
  return { ...criteria, since: new Date(nowMs - lastDays * DAY_MS).toISOString().slice(0, 10) }
}

/** The same criteria always give the same text, whatever order the keys were written in. */
export function canonicalCriteria(criteria: AskedCriteria): string {
  return JSON.stringify(
    Object.entries(criteria)
      .filter(([, value]) => value !== undefined)
      .sort(byKey),
  )
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}
