/**
 * Letters that want to leave, as a person in the console sees them and decides about them.
 *
 * INVARIANT: every text is written out, so that nothing in it is unseen. Whoever decides is named with where they sit. An id names
 * one letter whole, never the beginning of one.
 */
import { describeWarning } from '../../core/content.ts'
import { Failure } from '../../core/failure.ts'
import type { EntryKind, OutboxEntry } from '../../core/outbox/entry.ts'
import { textOfPlainHtml } from '../../core/outbox/plain-html.ts'
import { isSameText } from '../../core/outbox/present.ts'
import { writeLineOut, writeOut } from '../../core/outbox/written-out.ts'
import type { ContentReader } from '../../ports/content-reader.ts'
import type { OutboxDesk, Person } from '../outbox/desk.ts'
import { type LetterView, letterView } from './letter-view.ts'

export interface LetterDetail extends LetterView {
  readonly text: string
  readonly html?: string
  readonly sameText?: boolean
  readonly hidden: readonly string[]
  readonly readers: readonly string[]
  readonly unknownReaders: boolean
  readonly presented: string
}

export interface Letters {
  list(all: boolean): Promise<readonly LetterView[]>
  show(id: string, signal: AbortSignal): Promise<LetterDetail>
  /** With a digest only the letter that has it. */
  approve(id: string, who: Who, digest: string | undefined): Promise<LetterView>
  reject(id: string, who: Who, reason: string | undefined): Promise<LetterView>
  settle(id: string, who: Who, wasSent: boolean): Promise<LetterView>
  /** Whether a copy lies among what was sent. */
  look(id: string, signal: AbortSignal): Promise<boolean>
}

export type Who = Pick<Person, 'name' | 'address'>

const OPEN: readonly EntryKind[] = ['waiting', 'approved', 'claimed', 'needs_operator']
const MOST_LISTED = 500
const MOST_SHOWN = 200_000
const ID = /^\d{6}-[0-9a-f]{12}$/

export function createLetters(desk: OutboxDesk, content: Pick<ContentReader, 'text'>): Letters {
  return {
    async list(all) {
      const entries = await desk.list({ ...(!all && { kinds: OPEN }), most: MOST_LISTED })
      return entries.map(letterView)
    },
    async show(id, signal) {
      const { entry, text: presented, readers, unknownReaders } = await desk.show(whole(id), signal)
      const { text, html } = entry.sending
      const written = writeOut(text)
      const seen = html === undefined ? undefined : await visible(html, content, signal)
      return {
        ...letterView(entry),
        text: written.text,
        ...(seen && { html: writeOut(seen.text).text, sameText: isSameText(seen.text, text) }),
        hidden: [...(written.numbers === 0 ? [] : [unseenWords(written.numbers)]), ...(seen?.dropped ?? [])],
        readers: readers.map(writeLineOut),
        unknownReaders,
        presented,
      }
    },
    async approve(id, who, digest) {
      if (digest !== undefined) await requireSame(desk, whole(id), digest)
      return letterView(await desk.approve(whole(id), inConsole(who)))
    },
    reject: async (id, who, reason) => letterView(await desk.reject(whole(id), inConsole(who), reason)),
    settle: async (id, who, wasSent) => letterView(await desk.settle(whole(id), wasSent, inConsole(who))),
    look: async (id, signal) => (await desk.lookForCopy(whole(id), signal)) === 'found',
  }
}

function inConsole({ name, address }: Who): Person {
  return { via: 'console', name, address }
}

function whole(id: string): string {
  if (ID.test(id)) return id
  throw new Failure('not_found', 'there is no letter with that id', { stage: 'outbox' })
}

async function requireSame(desk: OutboxDesk, id: string, digest: string): Promise<void> {
  const found = (await desk.list({ kinds: ['waiting'], most: MOST_LISTED * 20 })).find((entry) => entry.id === id)
  if (found === undefined || found.digest === digest) return
  throw new Failure('conflict', 'this is not the letter that you were shown; look at it again', { stage: 'outbox' })
}

interface Visible {
  readonly text: string
  /** What nobody would have seen of it, in words. */
  readonly dropped: readonly string[]
}

async function visible(
  html: NonNullable<OutboxEntry['sending']['html']>,
  content: Pick<ContentReader, 'text'>,
  signal: AbortSignal,
): Promise<Visible> {
  const how = { type: 'text/html', charset: 'utf-8', encoding: '8bit', flowed: false, delSp: false } as const
  const bytes = new TextEncoder().encode(html)
  const { text, truncated, warnings } = await content.text({ ...how, bytes, complete: true }, MOST_SHOWN, signal)
  const cut = truncated ? [`only the first ${MOST_SHOWN} characters of the HTML version are shown`] : []
  const more = textOfPlainHtml(html) === undefined ? [MORE_THAN_TEXT] : []
  return { text, dropped: [...warnings.map(describeWarning), ...cut, ...more] }
}

const MORE_THAN_TEXT = 'the HTML version is more than a text; the whole letter, as the terminal shows it, has all of it'

function unseenWords(count: number): string {
  return `characters that nobody would see, written as their numbers (${count})`
}
