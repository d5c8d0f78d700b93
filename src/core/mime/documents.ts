/** Which attachments are documents whose text can be read, and how. */
import type { Part } from './part.ts'

/** `odt` is every kind of OpenDocument: texts, sheets and slides. */
export type DocumentKind = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'html' | 'ics' | 'text'

const BY_TYPE: ReadonlyMap<string, DocumentKind> = new Map([
  ['application/pdf', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.template', 'docx'],
  ['application/vnd.ms-word.document.macroenabled.12', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.template', 'xlsx'],
  ['application/vnd.ms-excel.sheet.macroenabled.12', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.slideshow', 'pptx'],
  ['application/vnd.ms-powerpoint.presentation.macroenabled.12', 'pptx'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'odt'],
  ['application/vnd.oasis.opendocument.presentation', 'odt'],
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/calendar', 'ics'],
  ['application/ics', 'ics'],
  ['application/json', 'text'],
])

const BY_EXTENSION: ReadonlyMap<string, DocumentKind> = new Map([
  ['pdf', 'pdf'],
  ['docx', 'docx'],
  ['docm', 'docx'],
  ['dotx', 'docx'],
  ['xlsx', 'xlsx'],
  ['xlsm', 'xlsx'],
  ['xltx', 'xlsx'],
  ['pptx', 'pptx'],
  ['pptm', 'pptx'],
  ['ppsx', 'pptx'],
  ['odt', 'odt'],
  ['ods', 'odt'],
  ['odp', 'odt'],
  ['html', 'html'],
  ['htm', 'html'],
  ['xhtml', 'html'],
  ['ics', 'ics'],
  ['txt', 'text'],
  ['csv', 'text'],
  ['tsv', 'text'],
  ['md', 'text'],
  ['log', 'text'],
  ['json', 'text'],
])

/** Types that say nothing but that there are bytes. */
const NAMELESS = new Set(['application/octet-stream', 'application/x-octet-stream', 'binary/octet-stream'])

/** Text by name, yet markup in which text can be hidden and which nobody reads as it is. */
const MARKUP = new Set(['text/rtf', 'text/richtext', 'text/enriched', 'text/x-amp-html'])

export function documentKind({ type, filename }: Pick<Part, 'type' | 'filename'>): DocumentKind | undefined {
  if (NAMELESS.has(type)) return BY_EXTENSION.get(extensionOf(filename ?? ''))
  const known = BY_TYPE.get(type)
  if (known !== undefined) return known
  return type.startsWith('text/') && !MARKUP.has(type) ? 'text' : undefined
}

function extensionOf(filename: string): string {
  return filename
    .slice(filename.lastIndexOf('.') + 1)
    .trim()
    .toLowerCase()
}
