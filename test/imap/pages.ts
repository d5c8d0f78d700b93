/** Searching page by page. */
import { expect } from 'vitest'
import { at, letter, type SeedMessage } from '../mail-source/messages.ts'
import type { Envelope } from './answers.ts'
import type { Arguments, Postern } from './postern.ts'

export const TOOL = 'imap_search_messages'
export const LONGEST_CURSOR = 1024

export const letters = (count: number, extra: Partial<SeedMessage> = {}): SeedMessage[] =>
  Array.from({ length: count }, (_, index) => ({
    raw: letter({ subject: `Letter ${index}` }),
    // Several share a moment, so that ties are cut by page ends.
    received: at('2024-01-01T00:00:00Z') + Math.floor(index / 3) * 60,
    ...extra,
  }))

/** Follows each page's own advice to the end. */
export async function walk(
  postern: Postern,
  args: Arguments,
  onPage: (page: Envelope) => Promise<unknown> | unknown = () => 0,
): Promise<Envelope[]> {
  const pages: Envelope[] = []
  let page = await postern.call(TOOL, args)
  for (;;) {
    pages.push(page)
    await onPage(page)
    const { next_cursor: cursor, has_more } = page.data
    expect(has_more).toBe(cursor !== undefined)
    if (cursor === undefined) return pages
    expect(cursor.length).toBeLessThanOrEqual(LONGEST_CURSOR)
    page = await postern.call(TOOL, page.data.next_action.arguments)
  }
}

export const uids = (pages: readonly Envelope[]): number[] =>
  pages.flatMap(({ data }) => data.messages.map(({ uid }) => uid))
export const ids = ({ data }: Envelope): string[] => data.messages.map(({ message_id }) => message_id)
