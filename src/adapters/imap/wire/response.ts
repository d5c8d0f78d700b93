/**
 * Reads one whole answer of a server.
 *
 * INVARIANT: linear in the length of the answer, no recursion, nesting bounded; the only thing thrown is the protocol
 * failure. Regular expressions see short texts only: on megabytes their backtracking would overflow.
 */
import { protocolFailure } from '../failures.ts'
import type { Frame } from './frames.ts'
import type { NumbersResponse, Response, ResponseCode, Status } from './value.ts'
import { readValues } from './values.ts'

/** Human-readable text and response codes beyond this are cut: nobody reads on. */
const MAX_STATUS_TEXT = 8192
const STATUS_LINE = /^(\S+) (OK|NO|BAD|BYE|PREAUTH)(?: (.*))?$/is
const CODE_NAME = /^\[([^\s\]]{1,100})(?: |\])/
const DATA_NAME = /^\* (?:([0-9]{1,10}) )?([A-Za-z][A-Za-z0-9.=-]{0,50})(?: |$)/
const NUMBERS_NAME = /^\* (SEARCH|SORT)(?: |$)/i
const HEAD = 100
const ZERO = 0x30
const SPACE = 0x20

export function readResponse(frame: Frame): Response {
  const line = frame.segments[0] ?? ''
  if (line === '+' || line.startsWith('+ ')) return { kind: 'continue' }
  // Most answers begin with a number, and none of those is a status.
  const status = isNumbered(line) ? null : STATUS_LINE.exec(line.slice(0, MAX_STATUS_TEXT))
  if (status !== null) return readStatus(status)
  const head = line.slice(0, HEAD)
  const numbers = isNumbered(line) ? null : NUMBERS_NAME.exec(head)
  if (numbers !== null && frame.literals.length === 0) return readNumbers(line, numbers)
  const data = DATA_NAME.exec(head)
  if (data === null) throw protocolFailure('a line that is no IMAP answer')
  const [start, number, name = ''] = data
  const values = readValues(frame, start.length)
  return { kind: 'data', name: name.toUpperCase(), number: number === undefined ? undefined : Number(number), values }
}

function isNumbered(line: string): boolean {
  const digit = line.charCodeAt(2) - ZERO
  return line.startsWith('* ') && digit >= 0 && digit <= 9
}

function readStatus([, tag = '', status = '', rest = '']: RegExpExecArray): Response {
  const { code, text } = splitCode(rest)
  return { kind: 'status', tag, status: status.toUpperCase() as Status, code, text }
}

function splitCode(rest: string): { code: ResponseCode | undefined; text: string } {
  const match = CODE_NAME.exec(rest)
  const end = match === null ? -1 : closingBracket(rest)
  if (match === null || end === -1) return { code: undefined, text: rest }
  const name = match[1] ?? ''
  const code = { name: name.toUpperCase(), rest: rest.slice(name.length + 2, end) }
  return { code, text: rest.slice(end + 1).trimStart() }
}

/** Where the code ends; a bracket inside quotes does not count. */
function closingBracket(text: string): number {
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') quoted = !quoted
    else if (char === '\\' && quoted) at += 1
    else if (char === ']' && !quoted) return at
  }
  return -1
}

function readNumbers(line: string, [head, name = '']: RegExpExecArray): NumbersResponse {
  const numbers: number[] = []
  let value = -1
  for (let at = head.length; at < line.length; at++) {
    const code = line.charCodeAt(at)
    const digit = code - ZERO
    if (digit >= 0 && digit <= 9) {
      value = Math.max(value, 0) * 10 + digit
      if (value > 0xffff_ffff) throw protocolFailure('a message number out of range')
    } else if (code === SPACE) {
      if (value >= 0) numbers.push(value)
      value = -1
    } else if (line.startsWith('(MODSEQ ', at)) break
    else throw protocolFailure('a search result that is no list of numbers')
  }
  if (value >= 0) numbers.push(value)
  return { kind: 'numbers', name: name.toUpperCase() as NumbersResponse['name'], numbers }
}
