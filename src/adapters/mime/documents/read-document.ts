/** The text of an office file or a calendar. What cannot be read as one throws. */
import type { Readable } from '../../../core/content.ts'
import { decodeCharset } from '../../../core/mime/charset.ts'
import type { FileKind } from '../jobs.ts'
import { Archive } from './archive.ts'
import { readDocx } from './docx.ts'
import { readIcs } from './ics.ts'
import { readOdf } from './odf.ts'
import { Paper } from './paper.ts'
import { readPptx } from './pptx.ts'
import { readXlsx } from './xlsx.ts'

/** More than fits an invitation, or a year of them. */
const MOST_CALENDAR = 1024 * 1024

export function readDocument(kind: FileKind, bytes: Uint8Array, maxChars: number): Readable {
  const paper = new Paper(maxChars)
  if (kind === 'ics') readCalendar(bytes, paper)
  else READERS[kind](new Archive(bytes), paper)
  return paper.readable()
}

function readCalendar(bytes: Uint8Array, paper: Paper): void {
  const partial = bytes.length > MOST_CALENDAR
  if (partial) paper.incomplete()
  readIcs(decodeCharset(bytes.subarray(0, MOST_CALENDAR), undefined, { partial }), paper)
}

const READERS = { docx: readDocx, xlsx: readXlsx, pptx: readPptx, odt: readOdf }
