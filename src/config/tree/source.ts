/**
 * The text of one file of the tree.
 *
 * INVARIANT: never waits and never throws, whatever stands under the name: a pipe, a directory, a link in a circle.
 */
import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'

export type Source =
  | { readonly ok: true; readonly text: string }
  /** `line` is 0 where it is the file as a whole. */
  | { readonly ok: false; readonly problem: string; readonly line: number }

const LARGEST = 1_000_000
const NEWLINE = 10

/** `advice` completes the sentence about a file that is not there. */
export function readSource(path: string, advice: string): Source {
  try {
    if (!statSync(path).isFile()) return refused('this is no file; put a file here instead')
    return textOf(bytesOf(path))
  } catch (error) {
    return refused(wordsFor(error, advice))
  }
}

function bytesOf(path: string): Buffer | undefined {
  // A pipe that took the file's place since we looked must not hold us up.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(descriptor).isFile()) return undefined
    const bytes = Buffer.allocUnsafe(LARGEST + 1)
    let length = 0
    while (length < bytes.length) {
      const read = readSync(descriptor, bytes, length, bytes.length - length, null)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

function textOf(bytes: Buffer | undefined): Source {
  if (bytes === undefined) return refused('this is no file; put a file here instead')
  if (bytes.length > LARGEST) return refused('the file is larger than 1 MB; write a smaller one instead')
  if (!isUtf8(bytes)) return refused('this is not UTF-8; save the file as UTF-8 instead', firstBadLine(bytes))
  return { ok: true, text: new TextDecoder().decode(bytes) }
}

/** No byte of a longer UTF-8 character is a line feed, so lines can be looked at one by one. */
function firstBadLine(bytes: Buffer): number {
  let line = 1
  for (let start = 0; ; line += 1) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
  }
}

function wordsFor(error: unknown, advice: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return `there is no such file; ${advice}`
  if (code === 'ELOOP') return 'this link leads to itself; put a file here instead'
  if (code === 'EACCES' || code === 'EPERM')
    return 'the file may not be read; give the user that runs Postern the right to'
  return 'the file cannot be read'
}

function refused(problem: string, line = 0): Source {
  return { ok: false, problem, line }
}
