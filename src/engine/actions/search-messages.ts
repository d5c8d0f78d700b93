/**
 * One page of a search, newest first.
 *
 * INVARIANT: two calls to the source whatever the size of the page: find the uids, then fetch what the page shows.
 */

import type { ActionOf } from '../../core/action.ts'
import { type AskedCriteria, resolveDays } from '../../core/criteria.ts'
import { Failure } from '../../core/failure.ts'
import type { Summary } from '../../core/message.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import type { HiddenCount } from '../../core/policy-description.ts'
import type { Issue, ListedMessage } from '../../core/results.ts'
import type { Found } from '../../ports/mail-source.ts'
import { MOST_MESSAGES } from '../sight/fact-keeper.ts'
import { findVisible } from '../sight/find-visible.ts'
import { BODY_START_BYTES, listed } from './listed-message.ts'
import { type Cursor, criteriaFor, digestCriteria, digestPlace, openCursor, sealCursor } from './search-cursor.ts'
import type { Perform, Workshop } from './workshop.ts'

/** A search with criteria that matches more is too vague to page through; without any it is a listing. */
const MOST_MATCHES = 20_000

/** The uids of this page and of the one after it. */
interface Page {
  readonly cursor: Cursor
  readonly total: number
  readonly filteredOut: HiddenCount
  readonly uids: readonly number[]
  readonly next: readonly number[]
  /** As found. */
  readonly kept: boolean | undefined
  readonly asOf: string | undefined
}

/** Criteria that no cursor can hold are there all the same. */
const TOO_LONG = { text: '' }

export const searchMessages: Perform<'search'> = async (action, workshop) => {
  const page = await (action.cursor === undefined ? firstPage(action, workshop) : laterPage(action, workshop))
  const levels = await levelsOf(action, page, workshop)
  const rows = (await fetchRows(action, page, workshop)).filter(({ uid }) => isSeen(levels.get(uid)))
  const tells = Object.keys(page.cursor.criteria ?? TOO_LONG).length > 0
  if (tells && page.total > rows.length) workshop.reading.unshown(workshop.accounts.get(action.account))
  const last = rows.at(-1)
  const after = last === undefined ? page.cursor.after : { received: last.received, uid: last.uid }
  const made = workshop.clock.now()
  const next =
    page.next.length > 0 ? await sealCursor(workshop.seal, { ...page.cursor, after, uids: page.next, made }) : undefined
  return {
    uidvalidity: page.cursor.uidvalidity,
    total: page.total,
    filteredOut: page.filteredOut,
    attempted: page.uids.length,
    messages: await listAll(rows, page.cursor.uidvalidity, levels, action, workshop),
    issues: [...outdated(page), ...vanished(page.uids, rows)],
    nextCursor: next?.token,
    resendCriteria: next?.carriesCriteria === false,
  }
}

async function firstPage(
  action: ActionOf<'search'>,
  { accounts, sight, callerId, clock, seal, signal }: Workshop,
): Promise<Page> {
  const { account, mailbox, criteria, limit } = action
  const began = clock.now()
  const search = { criteria: resolveDays(criteria, began), take: 2 * limit, most: mostOf(criteria) }
  const found = await findVisible(accounts.get(account), mailbox, search, sight, signal)
  refuseTooMany(found, search.most)
  const digest = digestCriteria(seal, criteria)
  const { uidvalidity, uidNext } = found
  return {
    cursor: {
      place: digestPlace(seal, callerId, account, mailbox),
      uidvalidity,
      criteria,
      digest,
      belowUid: uidNext,
      after: undefined,
      uids: [],
      began,
      made: began,
    },
    total: found.total,
    filteredOut: found.filteredOut,
    uids: found.uids.slice(0, limit),
    next: found.uids.slice(limit),
    kept: found.kept,
    asOf: found.asOf,
  }
}

async function laterPage(
  action: ActionOf<'search'>,
  { accounts, sight, callerId, clock, seal, signal }: Workshop,
): Promise<Page> {
  const cursor = await openCursor(seal, action.cursor ?? '', clock.now())
  if (cursor.place !== digestPlace(seal, callerId, action.account, action.mailbox)) {
    throw new Failure('invalid_input', 'cursor belongs to another caller, account or mailbox; search anew without it')
  }
  const criteria = criteriaFor(seal, cursor, action.criteria)
  const uids = cursor.uids.slice(0, action.limit)
  const { belowUid, after } = cursor
  const search = {
    criteria: resolveDays(criteria, cursor.began),
    belowUid,
    ...(after && { after }),
    skip: new Set(uids),
    take: action.limit,
    most: mostOf(criteria),
  }
  const found = await findVisible(accounts.get(action.account), action.mailbox, search, sight, signal)
  if (found.uidvalidity !== cursor.uidvalidity) {
    throw new Failure('conflict', 'the mailbox was rebuilt since this search (uidvalidity changed); search again')
  }
  refuseTooMany(found, search.most)
  const { total, filteredOut, kept, asOf } = found
  return { cursor: { ...cursor, criteria }, total, filteredOut, uids, next: found.uids, kept, asOf }
}

function mostOf(criteria: AskedCriteria): number {
  return Object.keys(criteria).length > 0 ? MOST_MATCHES : MOST_MESSAGES
}

function refuseTooMany({ total }: Found, most: number): void {
  if (total <= most) return
  throw new Failure('invalid_input', `the search matches ${total} messages, more than ${most}; narrow it`, {
    details: { matches: total },
  })
}

/** What a cursor names is looked at anew: by now the caller may see less of it. */
async function levelsOf(
  { account, mailbox }: ActionOf<'search'>,
  { uids, cursor: { uidvalidity }, kept }: Page,
  { accounts, sight, signal }: Workshop,
): Promise<ReadonlyMap<number, Level>> {
  const at = accounts.get(account)
  const folder = await sight.folder(at, mailbox, signal)
  return sight.levels(at, folder, { mailbox, uidvalidity, kept }, uids, signal)
}

function isSeen(level: Level | undefined): boolean {
  return level !== undefined && atLeast(level, 'METADATA')
}

async function fetchRows(
  action: ActionOf<'search'>,
  page: Page,
  { accounts, signal }: Workshop,
): Promise<readonly Summary[]> {
  if (page.uids.length === 0) return []
  const at = { mailbox: action.mailbox, uidvalidity: page.cursor.uidvalidity, kept: page.kept }
  const bytes = action.snippetChars === undefined ? 0 : BODY_START_BYTES
  return accounts.get(action.account).source.summaries(at, page.uids, bytes, signal)
}

function listAll(
  rows: readonly Summary[],
  uidvalidity: number,
  levels: ReadonlyMap<number, Level>,
  { account: id, mailbox, snippetChars }: ActionOf<'search'>,
  workshop: Workshop,
): Promise<ListedMessage[]> {
  const account = workshop.accounts.get(id)
  const at = { mailbox, uidvalidity }
  return Promise.all(rows.map((row) => listed(account, at, row, levels.get(row.uid) ?? 'NONE', snippetChars, workshop)))
}

/** This page has no coverage to say it in. */
function outdated({ asOf }: Page): Issue[] {
  if (asOf === undefined) return []
  const message = `the mail server cannot be reached; this is what was known of the mailbox at ${asOf}`
  return [{ code: 'unavailable', stage: 'mirror', message, retryable: true }]
}

function vanished(uids: readonly number[], rows: readonly Summary[]): Issue[] {
  const there = new Set(rows.map(({ uid }) => uid))
  return uids
    .filter((uid) => !there.has(uid))
    .map((uid) => ({
      code: 'not_found',
      stage: 'fetch',
      message: `message ${uid} is no longer in the mailbox`,
      retryable: false,
      uid,
    }))
}
