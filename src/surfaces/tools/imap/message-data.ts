/** A message as `imap_get_message` and its resource show it. */
import { describeWarning } from '../../../core/content.ts'
import type { MessageRef } from '../../../core/message-id.ts'
import type { HeaderField } from '../../../core/mime/header.ts'
import type { AttachmentView, MessageView } from '../../../core/results.ts'
import { uncertainFields } from '../../../core/text/uncertain.ts'
import { dropUndefined } from './envelope.ts'
import { names } from './fields.ts'

export type HeaderChoice = 'none' | 'curated' | 'all'

const CURATED = new Set([
  'date',
  'from',
  'to',
  'cc',
  'reply-to',
  'subject',
  'message-id',
  'in-reply-to',
  'references',
  'list-id',
  'list-unsubscribe',
  'authentication-results',
])

export function messageData(
  view: MessageView,
  ref: MessageRef,
  headers: HeaderChoice,
  redacted: readonly string[],
): Record<string, unknown> {
  return dropUndefined({
    ...names(ref),
    date: view.date,
    from: view.from,
    to: view.to,
    cc: view.cc,
    subject: view.subject,
    flags: view.flags,
    headers: headers === 'none' || redacted.includes('header') ? undefined : headersOf(view.header, headers),
    body_text: view.text,
    body_truncated: view.text === undefined ? undefined : view.textTruncated,
    body_html: view.html,
    body_html_truncated: view.html === undefined ? undefined : view.htmlTruncated,
    ...uncertainFields(view.uncertain),
    attachments: redacted.includes('attachments') ? undefined : view.attachments.map(attachmentData),
    content_warnings: view.warnings.map(describeWarning),
    redacted_fields: redacted.length > 0 ? redacted.flatMap((field) => SHOWN_AS[field] ?? []) : undefined,
  })
}

/** What the fields of a view are called here. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  date: 'date',
  from: 'from',
  to: 'to',
  cc: 'cc',
  subject: 'subject',
  flags: 'flags',
  header: 'headers',
  text: 'body_text',
  html: 'body_html',
  attachments: 'attachments',
}

/** Name to value; a field that stands there more than once has an array of its values. */
function headersOf(fields: readonly HeaderField[], choice: HeaderChoice): Record<string, string | string[]> {
  const values = new Map<string, { name: string; values: string[] }>()
  for (const { name, value } of fields) {
    const key = name.toLowerCase()
    if (choice === 'curated' && !CURATED.has(key)) continue
    const seen = values.get(key)
    if (seen) seen.values.push(value)
    else values.set(key, { name, values: [value] })
  }
  return Object.fromEntries(
    [...values.values()].map(({ name, values: [first = '', ...more] }) => [
      name,
      more.length > 0 ? [first, ...more] : first,
    ]),
  )
}

function attachmentData(attachment: AttachmentView): Record<string, unknown> {
  const { part, filename, type, size, text, textTruncated, uncertain } = attachment
  return dropUndefined({
    filename,
    content_type: type,
    size_bytes: size,
    part_id: part,
    extracted_text: text,
    text_truncated: text === undefined ? undefined : textTruncated,
    ...uncertainFields(uncertain),
  })
}
