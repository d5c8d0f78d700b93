/**
 * Answers to one FETCH of rows, read as they come.
 *
 * INVARIANT: a message counts as there only when all that was asked of it is there; what nobody asked for does no harm.
 */
import type { Row } from '../../core/mirror/state.ts'
import type { Taker } from './dialogue.ts'
import { basicsOf, type Items, readFetch, sectionOf } from './fetch.ts'
import { beginsOddly } from './header-bytes.ts'
import { readStructure } from './structure.ts'
import { itemsOf, latin1Of } from './wire/value.ts'

/** Longer ones are rare, and cost a second look. */
export const USUAL_HEADER = 16_384
const THREAD = /^[\w-]{1,255}$/

export class RowReader {
  readonly found = new Map<number, Row>()
  /** Those whose header has not been read to its end. */
  readonly cut = new Set<number>()
  readonly #asked: ReadonlySet<number>
  readonly #structure: boolean

  constructor(uids: readonly number[], structure: boolean) {
    this.#asked = new Set(uids)
    this.#structure = structure
  }

  readonly take: Taker = (response) => {
    const message = response.name === 'FETCH' ? readFetch(response) : undefined
    return message !== undefined && this.add(message.uid, message.items)
  }

  /** Whether that was all that was asked of the message. */
  add(uid: number, items: Items): boolean {
    if (!this.#asked.has(uid) || this.found.has(uid)) return this.found.has(uid)
    const basics = basicsOf(uid, items)
    const header = sectionOf(items, 'HEADER.FIELDS')
    const structure = items.get('BODYSTRUCTURE')
    if (basics === undefined || header === undefined || (this.#structure && structure === undefined)) return false
    const cut = header.length >= USUAL_HEADER
    if (cut) this.cut.add(uid)
    const serverThread = threadOf(items)
    this.found.set(uid, {
      ...basics,
      flags: basics.flags,
      header: cut ? new Uint8Array() : header,
      headerCut: cut || beginsOddly(header),
      structure: readStructure(structure),
      ...(serverThread !== undefined && { serverThread }),
    })
    return true
  }

  mend(uid: number, header: Uint8Array, headerCut: boolean): void {
    const row = this.found.get(uid)
    if (row !== undefined && this.cut.delete(uid)) this.found.set(uid, { ...row, header, headerCut })
  }
}

/** `X-GM-THRID 12` or `THREADID (T12)`; NIL where it has none. */
function threadOf(items: Items): string | undefined {
  const thread = latin1Of(items.get('X-GM-THRID')) ?? latin1Of(itemsOf(items.get('THREADID'))?.[0])
  return thread !== undefined && THREAD.test(thread) ? thread : undefined
}
