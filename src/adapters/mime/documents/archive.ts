/**
 * A ZIP file of which only the wanted entries are unpacked, piece by piece, for as long as somebody wants more.
 *
 * INVARIANT: whatever the bytes, never more than `MOST_BYTES` of one entry and `MOST_BYTES_IN_ALL` of all are unpacked, and
 * never more than one piece is held. Nothing is unpacked within what was unpacked. What is not plainly a ZIP file throws.
 */
import { Inflate } from 'fflate'

const MOST_ENTRIES = 10_000
const MOST_BYTES = 24 * 1024 * 1024
/** Sheets and slides are read twice: for their shapes, and for their text. */
const MOST_BYTES_IN_ALL = 72 * 1024 * 1024

/** A packed byte can become a thousand: this many become 1 MB at most. */
const PACKED_PIECE = 1024
const STORED_PIECE = 65_536

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_HEADER = 0x04034b50
const LONGEST_COMMENT = 65_535
/** Nobody asks for longer ones. */
const LONGEST_NAME = 512
const UNKNOWN = 0xffffffff

interface Entry {
  readonly packed: number
  readonly method: number
  readonly encrypted: boolean
  readonly offset: number
}

/** Takes a piece, and says whether it wants more. */
export type Take = (piece: Uint8Array) => boolean

export class Archive {
  readonly #view: DataView
  readonly #bytes: Uint8Array
  readonly #entries: ReadonlyMap<string, Entry>
  #unpacked = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#entries = directory(this.#view, bytes)
  }

  /** Names count without letter case, as they do in office files. */
  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /** Whether nothing more may be unpacked. */
  get exhausted(): boolean {
    return this.#unpacked > MOST_BYTES_IN_ALL
  }

  /** False when the entry is longer than may be unpacked. */
  read(name: string, take: Take): boolean {
    const entry = this.#entries.get(name.toLowerCase())
    if (entry === undefined) throw new Error('an entry is missing')
    const data = this.#dataOf(entry)
    let taken = 0
    let more = true
    let fits = !this.exhausted
    const hand = (piece: Uint8Array): void => {
      taken += piece.length
      this.#unpacked += piece.length
      fits &&= taken <= MOST_BYTES && this.#unpacked <= MOST_BYTES_IN_ALL
      if (fits && more) more = take(piece)
    }
    const unpack = entry.method === 0 ? (piece: Uint8Array) => hand(piece) : inflating(hand)
    const step = entry.method === 0 ? STORED_PIECE : PACKED_PIECE
    for (let at = 0; at < data.length && fits && more; at += step) {
      unpack(data.subarray(at, at + step), at + step >= data.length)
    }
    return fits
  }

  #dataOf({ packed, method, encrypted, offset }: Entry): Uint8Array {
    if (encrypted || (method !== 0 && method !== 8)) throw new Error('an entry is encrypted or packed in a rare way')
    if (offset + 30 > this.#bytes.length || this.#view.getUint32(offset, true) !== LOCAL_HEADER) {
      throw new Error('an entry is not where it should be')
    }
    const start = offset + 30 + this.#view.getUint16(offset + 26, true) + this.#view.getUint16(offset + 28, true)
    return this.#bytes.subarray(start, packed === UNKNOWN ? undefined : start + packed)
  }
}

function inflating(hand: (piece: Uint8Array) => void): (piece: Uint8Array, last: boolean) => void {
  const inflate = new Inflate((piece) => hand(piece))
  return (piece, last) => inflate.push(piece, last)
}

function directory(view: DataView, bytes: Uint8Array): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  let at = directoryStart(view)
  for (let count = 0; at + 46 <= bytes.length && view.getUint32(at, true) === DIRECTORY_ENTRY; count++) {
    if (count >= MOST_ENTRIES) throw new Error('too many entries')
    const nameEnd = at + 46 + view.getUint16(at + 28, true)
    const isLong = nameEnd - at - 46 > LONGEST_NAME
    const name = isLong ? '' : plainName(bytes.subarray(at + 46, nameEnd))
    // Two of one name show one text here and another there.
    if (!isLong && entries.has(name)) throw new Error('two entries have one name')
    entries.set(name, {
      encrypted: (view.getUint16(at + 8, true) & 1) !== 0,
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      offset: view.getUint32(at + 42, true),
    })
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

/** The end of the directory stands at the end of the file, before a comment. */
function directoryStart(view: DataView): number {
  const last = view.byteLength - 22
  for (let at = last; at >= 0 && at >= last - LONGEST_COMMENT; at--) {
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return view.getUint32(at + 16, true)
  }
  throw new Error('not a ZIP file')
}

const utf8 = new TextDecoder()

function plainName(bytes: Uint8Array): string {
  return utf8.decode(bytes).replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()
}
