/**
 * Finishes what a server's search began: of the messages that it found, those that a query means.
 *
 * INVARIANT: each message is judged by what its caller may read of it. What cannot be looked at in one call is left out, and
 * the coverage says so. Headers come in batches; bodies are read only where nothing else decides.
 */
import type { Coverage } from '../../core/mirror/state.ts'
import type { Level } from '../../core/policy/level.ts'
import { type Bounds, boundsOf } from '../../core/query/bounds.ts'
import { matches, needsOfQuery, type Searchable, searchableFrom } from '../../core/query/evaluate.ts'
import type { Query } from '../../core/query/query.ts'
import { asReadAt } from '../../core/query/readable.ts'
import type { MailboxAt, MailSource } from '../../ports/mail-source.ts'
import { traitsInBatches } from '../sight/traits-in-batches.ts'
import { Turns } from '../sight/turns.ts'
import type { BodyText } from '../sync/read-texts.ts'

/** So many bodies are read to answer one search of one folder. */
const MOST_BODIES = 500
/** And about so many bytes of them: most bodies are short, but one may have pictures inside of it. */
const MOST_BYTES = 128 * 1024 * 1024
const AT_ONCE = 8
const FIELDS = ['From', 'To', 'Cc', 'Bcc', 'Subject', 'Message-ID']

export interface SieveParts {
  readonly source: MailSource
  readonly at: MailboxAt
  /** What was found, newest first. */
  readonly uids: readonly number[]
  readonly levels: ReadonlyMap<number, Level>
  readonly query: Query
  /** The visible text of a message's body, and what a person may not see of it. */
  bodyOf(uid: number): Promise<BodyText & { readonly bytes: number }>
  readonly signal: AbortSignal
}

export interface Sieved {
  /** In the order they came. */
  readonly uids: readonly number[]
  readonly coverage: Coverage
}

export async function sieve(parts: SieveParts): Promise<Sieved> {
  const { source, at, uids, levels, query, signal } = parts
  const needs = needsOfQuery(query)
  const forms = new Forms(query)
  const wanted = { fields: needs.header ? FIELDS : [], structure: needs.structure }
  const held = new Set<number>()
  const undecided = new Map<number, Searchable>()
  let unread = 0
  let partial = 0
  let read = 0
  const turns = new Turns(signal)
  for await (const batch of traitsInBatches(source, at, uids, wanted, signal)) {
    for (const traits of batch) {
      const level = levels.get(traits.uid)
      if (level === undefined) continue
      const searchable = searchableFrom(traits)
      const { bounds } = forms.at(level)
      if (matches(bounds.least, searchable)) held.add(traits.uid)
      else if (matches(bounds.most, searchable)) {
        if (undecided.size < MOST_BODIES) undecided.set(traits.uid, searchable)
        else unread += 1
      }
      if (turns.over) await turns.rest()
    }
  }
  await inTurns([...undecided], AT_ONCE, async ([uid, searchable]) => {
    if (read > MOST_BYTES) {
      unread += 1
      return
    }
    const { text: body, uncertain, truncated, bytes } = await parts.bodyOf(uid)
    read += bytes
    if (truncated) partial += 1
    if (matches(forms.at(levels.get(uid) ?? 'NONE').whole, { ...searchable, body, uncertain })) held.add(uid)
  })
  return { uids: uids.filter((uid) => held.has(uid)), coverage: coverageOf(needs.text, unread, partial) }
}

/** What a query is to readers of each level. */
class Forms {
  readonly #query: Query
  readonly #known = new Map<Level, { readonly whole: Query; readonly bounds: Bounds }>()

  constructor(query: Query) {
    this.#query = query
  }

  at(level: Level): { readonly whole: Query; readonly bounds: Bounds } {
    const known = this.#known.get(level)
    if (known !== undefined) return known
    const whole = asReadAt(this.#query, level)
    const form = { whole, bounds: boundsOf(whole) }
    this.#known.set(level, form)
    return form
  }
}

const BY_SERVER =
  'the mail server searched the bodies: words that markup or invisible characters break, names of files and the text of attachments may be missed; ' +
  'a full mirror of the account finds them'

function coverageOf(asksText: boolean, unread: number, partial: number): Coverage {
  const notes = [
    ...(asksText ? [BY_SERVER] : []),
    ...(unread > 0
      ? [`${unread} older messages that may match were not looked into; narrow the search to reach them`]
      : []),
  ]
  return { source: 'live', complete: notes.length === 0 && partial === 0, notes, ...(partial > 0 && { partial }) }
}

async function inTurns<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
