/**
 * Outgoing messages, as a person in the console sees them and decides about them.
 *
 * INVARIANT: all of a message is shown, and every text is written out, so that nothing in it is unseen. The person who decides is
 * named with their address. An id names one message whole, never the beginning of one.
 */
import { Failure } from '../../core/failure.ts'
import type { EntryKind } from '../../core/outbox/entry.ts'
import type { HtmlPiece } from '../../core/outbox/html-review.ts'
import type { Version } from '../../core/outbox/sending.ts'
import { labelOf, type Unseen } from '../../core/outbox/unseen.ts'
import { writeLineOut, writeOut } from '../../core/outbox/written-out.ts'
import type { OutboxDesk, Person, ShownLetter } from '../outbox/desk.ts'
import { type LetterView, letterView } from './letter-view.ts'

export interface LetterDetail extends LetterView {
  readonly text: string
  readonly html?: HtmlView
  /** What its recipients will not see: it has to be acknowledged. */
  readonly unseen: readonly Unseen[]
  readonly readers: readonly string[]
  readonly unknownReaders: boolean
  readonly presented: string
}

/** The HTML version: its pieces in their order, and all of its source. */
export interface HtmlView {
  readonly pieces: readonly HtmlPieceView[]
  readonly source: string
  readonly isSameText: boolean
}

export interface HtmlPieceView {
  readonly kind: HtmlPiece['kind']
  readonly label: string
  readonly text: string
}

export interface ApprovalTerms {
  /** Only the message that has this digest. */
  readonly digest?: string | undefined
  /** What its recipients will not see may be sent. */
  readonly acknowledged?: boolean | undefined
}

export interface Letters {
  list(all: boolean): Promise<readonly LetterView[]>
  show(id: string, signal: AbortSignal): Promise<LetterDetail>
  approve(id: string, who: Who, terms: ApprovalTerms): Promise<LetterView>
  /** Another version of it, which waits for approval. */
  revise(id: string, who: Who, how: Version['how'], signal: AbortSignal): Promise<LetterView>
  reject(id: string, who: Who, reason: string | undefined): Promise<LetterView>
  settle(id: string, who: Who, wasSent: boolean): Promise<LetterView>
  /** Whether a copy lies among what was sent. */
  look(id: string, signal: AbortSignal): Promise<boolean>
}

export type Who = Pick<Person, 'name' | 'address'>

const OPEN: readonly EntryKind[] = ['waiting', 'approved', 'claimed', 'needs_operator']
const MOST_LISTED = 500
const ID = /^\d{6}-[0-9a-f]{12}$/

export function createLetters(desk: OutboxDesk): Letters {
  return {
    async list(all) {
      const entries = await desk.list({ ...(!all && { kinds: OPEN }), most: MOST_LISTED })
      return entries.map(letterView)
    },
    async show(id, signal) {
      const shown = await desk.show(whole(id), signal)
      const { entry, text: presented, review, readers, unknownReaders } = shown
      const html = htmlView(shown)
      return {
        ...letterView(entry),
        text: writeOut(entry.sending.text).text,
        ...(html && { html }),
        unseen: review.unseen.map(({ what, text, count }) => ({ what, text: writeOut(text).text, count })),
        readers: readers.map(writeLineOut),
        unknownReaders,
        presented,
      }
    },
    async approve(id, who, { digest, acknowledged }) {
      if (digest !== undefined) await requireSame(desk, whole(id), digest)
      return letterView(await desk.approve(whole(id), inConsole(who), acknowledged === true))
    },
    revise: async (id, who, how, signal) => letterView(await desk.revise(whole(id), how, inConsole(who), signal)),
    reject: async (id, who, reason) => letterView(await desk.reject(whole(id), inConsole(who), reason)),
    settle: async (id, who, wasSent) => letterView(await desk.settle(whole(id), wasSent, inConsole(who))),
    look: async (id, signal) => (await desk.lookForCopy(whole(id), signal)) === 'found',
  }
}

function htmlView({ entry: { sending }, review: { html, isSameText } }: ShownLetter): HtmlView | undefined {
  if (html === undefined || sending.html === undefined) return undefined
  const pieces = html.pieces.map((piece) => ({
    kind: piece.kind,
    label: writeLineOut(labelOf(piece)),
    text: writeOut(piece.text).text,
  }))
  return { pieces, source: writeOut(sending.html).text, isSameText }
}

function inConsole({ name, address }: Who): Person {
  return { via: 'console', name, address }
}

function whole(id: string): string {
  if (ID.test(id)) return id
  throw new Failure('not_found', 'there is no message with that id', { stage: 'outbox' })
}

async function requireSame(desk: OutboxDesk, id: string, digest: string): Promise<void> {
  const found = (await desk.list({ kinds: ['waiting'], most: MOST_LISTED * 20 })).find((entry) => entry.id === id)
  if (found === undefined || found.digest === digest) return
  throw new Failure('conflict', 'this is not the message that you were shown; look at it again', { stage: 'outbox' })
}
