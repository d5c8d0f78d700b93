/**
 * One answer to the FETCH of rows as most servers write it, item by item as it was asked for, read straight from its text.
 *
 * INVARIANT: gives what the general reader gives for the same answer, or undefined, also where that would give something.
 */
import type { Row } from '../../../core/mirror/state.ts'
import { parseInternalDate } from '../dates.ts'
import { isFlag } from '../fetch.ts'
import type { Frame } from '../wire/frames.ts'
import { UsualStructure } from './usual-structure.ts'

export type UsualRow = Omit<Row, 'headerCut' | 'serverThread'>

const BASICS =
  /\* \d{1,10} FETCH \(UID (\d{1,15}) FLAGS \(([\w\\$. -]{0,200})\) INTERNALDATE "([\w: +-]{20,30})" RFC822\.SIZE (\d{1,15}) BODYSTRUCTURE (?=\()/y
const BEFORE_HEADER = /^ BODY\[HEADER\.FIELDS \([A-Za-z -]{1,500}\)\](?:<0>)? $/

export function readUsualRow({ segments, literals }: Frame): UsualRow | undefined {
  const [text, header] = [segments[0], literals[0]]
  if (text === undefined || header === undefined || segments.length !== 2 || segments[1] !== ')') return undefined
  BASICS.lastIndex = 0
  const basics = BASICS.exec(text)
  if (basics === null) return undefined
  const [, uid, flags = '', date = '', size] = basics
  const reader = new UsualStructure(text, BASICS.lastIndex)
  const [structure, received] = [reader.read(), parseInternalDate(date)]
  if (structure === undefined || received === undefined || !isBeforeHeader(text.slice(reader.end))) return undefined
  return { uid: Number(uid), received, size: Number(size), flags: flagsIn(flags), header, structure }
}

/** The same words come with every message. */
let lastBeforeHeader = ''

function isBeforeHeader(text: string): boolean {
  if (text === lastBeforeHeader) return true
  if (!BEFORE_HEADER.test(text)) return false
  lastBeforeHeader = text
  return true
}

/** Most messages have the same few. */
const KNOWN = new Map<string, readonly string[]>()
const MOST_KNOWN = 200

function flagsIn(text: string): readonly string[] {
  const known = KNOWN.get(text)
  if (known !== undefined) return known
  // Without quotes NIL is no word.
  const flags = text.split(' ').filter((word) => isFlag(word) && word.toUpperCase() !== 'NIL')
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(text, flags)
  return flags
}
