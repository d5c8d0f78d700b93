import fc from 'fast-check'
import { expect, test } from 'vitest'
import { documentKind } from './documents.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument'

test.each([
  ['application/pdf', undefined, 'pdf'],
  [`${OFFICE}.wordprocessingml.document`, undefined, 'docx'],
  [`${OFFICE}.spreadsheetml.sheet`, 'x.docx', 'xlsx'],
  [`${OFFICE}.presentationml.presentation`, undefined, 'pptx'],
  ['application/vnd.oasis.opendocument.text', undefined, 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', undefined, 'odt'],
  ['application/vnd.oasis.opendocument.presentation', undefined, 'odt'],
  ['text/html', 'a.txt', 'html'],
  ['text/calendar', undefined, 'ics'],
  ['text/plain', 'a.pdf', 'text'],
  ['text/csv', undefined, 'text'],
  ['application/json', undefined, 'text'],
  ['application/octet-stream', 'Report.Final.PDF', 'pdf'],
  ['application/octet-stream', 'sums.xlsx ', 'xlsx'],
  ['application/octet-stream', 'slides.odp', 'odt'],
  ['application/octet-stream', 'invite.ics', 'ics'],
  ['application/octet-stream', 'page.htm', 'html'],
  ['application/octet-stream', 'film.mp4', undefined],
  ['application/octet-stream', undefined, undefined],
  ['application/octet-stream', 'constructor', undefined],
  ['application/zip', 'a.docx', undefined],
  ['application/msword', 'a.doc', undefined],
  ['image/png', 'a.pdf', undefined],
  ['message/rfc822', undefined, undefined],
  ['text/rtf', undefined, undefined],
])('%s named %s', (type, filename, kind) => {
  expect(documentKind({ type, filename })).toBe(kind)
})

test('any type and name has an answer', () => {
  const name = fc.option(fc.string(), { nil: undefined })
  fc.assert(fc.property(fc.string(), name, (type, filename) => void documentKind({ type, filename })))
})
