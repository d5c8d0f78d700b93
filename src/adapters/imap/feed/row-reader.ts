/**
 * Answers to one FETCH of rows, read as they come.
 *
 * INVARIANT: a message counts as there only when all that was asked of it is there; what nobody asked for does no harm.
 */
import type { Row } from '../../../core/mirror/state.ts'
import { basicsOf, type Items, readFetch, sectionOf } from '../fetch.ts'
import { beginsOddly } from '../header-bytes.ts'
import type { Taker } from '../line/dialogue.ts'
import { readStructure } from '../structure.ts'
import type { Frame } from '../wire/frames.ts'
import { type DataResponse, itemsOf, latin1Of } from '../wire/value.ts'
import { readUsualRow, type UsualRow } from './usual-row.ts'

/** Longer ones are rare, and cost a second look. */
export const USUAL_HEADER = 16_384
const NONE = new Uint8Array()
const THREAD = /^[\w-]{1,255}$/

export interface FoundRow extends Row {
  /** Its header is longer, and comes later. */
  readonly isLong?: boolean
}

export class RowReader {
  readonly found = new Map<number, FoundRow>()
  readonly #isAsked: (uid: number) => boolean
  readonly #structure: boolean

  constructor(isAsked: (uid: number) => boolean, structure: boolean) {
    this.#isAsked = isAsked
    this.#structure = structure
  }

  readonly take: Taker = Object.assign((response: DataResponse) => this.#takeRead(response), {
    unread: (frame: Frame) => this.#takeUsual(frame),
  })

  /** Most are taken so, in a fraction of the time. */
  #takeUsual(frame: Frame): boolean {
    const row = this.#structure ? readUsualRow(frame) : undefined
    if (row === undefined || !this.#isAsked(row.uid) || this.found.has(row.uid)) return false
    this.#keep(row, undefined)
    return true
  }

  #takeRead(response: DataResponse): boolean {
    const message = response.name === 'FETCH' ? readFetch(response) : undefined
    return message !== undefined && this.add(message.uid, message.items)
  }

  /** Whether that was all that was asked of the message. */
  add(uid: number, items: Items): boolean {
    if (!this.#isAsked(uid) || this.found.has(uid)) return this.found.has(uid)
    const basics = basicsOf(uid, items)
    const header = sectionOf(items, 'HEADER.FIELDS')
    const structure = items.get('BODYSTRUCTURE')
    if (basics === undefined || header === undefined || (this.#structure && structure === undefined)) return false
    this.#keep({ ...basics, header, structure: readStructure(structure) }, threadOf(items))
    return true
  }

  #keep(row: UsualRow, serverThread: string | undefined): void {
    const { uid, header } = row
    const isLong = header.length >= USUAL_HEADER
    const kept = isLong ? { ...row, header: NONE, headerCut: true, isLong } : { ...row, headerCut: beginsOddly(header) }
    this.found.set(uid, serverThread === undefined ? kept : { ...kept, serverThread })
  }
}

/** `X-GM-THRID 12` or `THREADID (T12)`; NIL where it has none. */
function threadOf(items: Items): string | undefined {
  const thread = latin1Of(items.get('X-GM-THRID')) ?? latin1Of(itemsOf(items.get('THREADID'))?.[0])
  return thread !== undefined && THREAD.test(thread) ? thread : undefined
}
