/**
 * The bytes of messages, each distinct text kept once.
 *
 * INVARIANT: a content row is never changed after it is made, and is there as long as a message needs it.
 */
import { createHash } from 'node:crypto'
import { Failure } from '../../core/failure.ts'
import type { DatabaseFile } from '../../ports/database-files.ts'
import { CHUNK_BYTES, CHUNKS_PER_CONTENT } from './schema.ts'
import { searchTexts } from './search-text.ts'

const MAX_BYTES = 1024 * 1024 * 1024

export class Contents {
  readonly #db: DatabaseFile

  constructor(db: DatabaseFile) {
    this.#db = db
  }

  /** The row for these bytes, made unless it is there. Only inside a write. */
  keep(bytes: Uint8Array): number {
    if (bytes.length === 0) throw new Failure('invalid_input', 'an empty message cannot be stored')
    if (bytes.length > MAX_BYTES) throw new Failure('too_large', `a message may have at most ${MAX_BYTES} bytes`)
    const hash = createHash('sha256').update(bytes).digest()
    const present = this.#db.get<{ id: number }>('select id from content where hash = ?', hash)
    return present?.id ?? this.#insert(bytes, hash)
  }

  /** `length` bytes from `start` on, or as many as there are. */
  slice(content: number, start: number, length: number): Uint8Array {
    if (length <= 0) return new Uint8Array()
    const first = Math.floor(start / CHUNK_BYTES)
    const last = Math.min(Math.floor((start + length - 1) / CHUNK_BYTES), CHUNKS_PER_CONTENT - 1)
    const chunks = this.#db.all<{ bytes: Uint8Array }>(
      'select bytes from chunk where place between ? and ? order by place',
      placeOf(content, first),
      placeOf(content, last),
    )
    const from = start - first * CHUNK_BYTES
    return joined(chunks.map((chunk) => chunk.bytes)).slice(from, from + length)
  }

  /** Removes the row where no message needs it any more. Only inside a write. */
  release(content: number): void {
    if (this.#db.get('select 1 from message where content = ? limit 1', content) !== undefined) return
    this.#db.run('delete from chunk where place between ? and ?', placeOf(content, 0), placeOf(content + 1, 0) - 1)
    this.#db.run('delete from search_text where content = ?', content)
    this.#db.run('delete from content where id = ?', content)
  }

  #insert(bytes: Uint8Array, hash: Uint8Array): number {
    const { bodyStart, from, to, subject, all, isCut } = searchTexts(bytes)
    const { lastInsertRowid } = this.#db.run(
      'insert into content (hash, size, body_start, from_text, to_text, subject_text) values (?, ?, ?, ?, ?, ?)',
      hash,
      bytes.length,
      bodyStart,
      from,
      to,
      subject,
    )
    const id = Number(lastInsertRowid)
    this.#db.run('insert into search_text (content, text, cut) values (?, ?, ?)', id, all, Number(isCut))
    for (let number = 0; number * CHUNK_BYTES < bytes.length; number++) {
      const chunk = bytes.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES)
      this.#db.run('insert into chunk (place, bytes) values (?, ?)', placeOf(id, number), chunk)
    }
    return id
  }
}

function placeOf(content: number, number: number): number {
  return content * CHUNKS_PER_CONTENT + number
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
