/**
 * A day file's lines from its end, as exact bytes, each with its newline: whoever wants the newest ones reads no more than these.
 *
 * INVARIANT: begins at the last line that is whole. Holds one block and one line.
 */
import type { FileHandle } from 'node:fs/promises'

const BLOCK = 64 * 1024
const NEWLINE = 0x0a

/** The handle stays open. */
export async function* linesBackwards(handle: FileHandle): AsyncGenerator<Buffer> {
  const { size } = await handle.stat()
  /** What stands before a newline that was found, up to the end of its line. */
  let tail: Buffer | undefined
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK)
    const block = Buffer.alloc(end - start)
    await handle.read(block, 0, block.length, start)
    let upTo = block.length
    for (let at = block.lastIndexOf(NEWLINE); at !== -1; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
      // What follows the last newline of the file is no whole line yet.
      if (tail !== undefined) yield Buffer.concat([block.subarray(at + 1, upTo), tail])
      tail = Buffer.alloc(0)
      upTo = at + 1
    }
    if (tail !== undefined) tail = Buffer.concat([block.subarray(0, upTo), tail])
    end = start
  }
  if (tail !== undefined && tail.length > 0) yield tail
}
