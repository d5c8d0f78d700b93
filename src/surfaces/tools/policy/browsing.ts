/** What `search` and `list_messages` have in common: the same question, and the same account of what was left out. */

import { z } from 'zod'
import type { BrowseAction } from '../../../core/action.ts'
import type { BrowsePage } from '../../../core/results.ts'
import { shownCoverage } from '../coverage.ts'
import { line } from '../line.ts'
import { account, criteria, folder, matchFrom } from './fields.ts'

const MOST_OFFSET = 1_000_000

export function browsingFields(usual: number, most: number) {
  return {
    account,
    folder,
    criteria,
    query: line(2000).optional().describe('Gmail syntax'),
    limit: z.int().min(1).max(most).default(usual),
    offset: z.int().min(0).max(MOST_OFFSET).default(0),
  }
}

interface AskedPage {
  readonly account: string
  readonly folder: string
  readonly criteria?: Readonly<Record<string, unknown>> | undefined
  readonly query?: string | undefined
  readonly limit: number
  readonly offset: number
}

export function browsing(asked: AskedPage, show: BrowseAction['show']): BrowseAction {
  const { account: id, folder: mailbox, query, limit, offset } = asked
  return { kind: 'browse', account: id, mailbox, match: matchFrom(asked.criteria), query, limit, offset, show }
}

/** Where hidden mail is concealed, what is visible is all there is. */
export function countsOf(
  { total, visible, more, uidvalidity }: BrowsePage,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Record<string, unknown> {
  return {
    uidvalidity,
    matched_total: total ?? visible,
    matched_visible: visible,
    filtered_out: total === undefined ? null : total - visible,
    page_offset: offset,
    page_limit: limit,
    has_more: more,
  }
}

/** Where a query was asked or a mirror answered: what was searched, and whether that is all. */
export function coverageOf({ coverage }: Pick<BrowsePage, 'coverage'>): Record<string, unknown> {
  return coverage === undefined ? {} : { coverage: shownCoverage(coverage) }
}

/** Google accounts: which message each uid is. */
export function identitiesOf({ identities }: BrowsePage): Record<string, unknown> {
  if (identities === undefined) return {}
  return {
    gmail_results: identities.map(({ uid, gmMsgid, allMailUid }) => ({
      uid,
      gm_msgid: gmMsgid,
      canonical_all_mail_uid: allMailUid ?? null,
    })),
  }
}
