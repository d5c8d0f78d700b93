/**
 * What a caller wrote as an answer, taken out of its RFC 5322 text: the quotation and the threading fields are added to it.
 *
 * INVARIANT: nothing of the text is dropped silently. What cannot be kept is refused and named.
 */
import type { Letter } from '../../../core/action.ts'
import { addressList } from '../../../core/compose/address-list.ts'
import { Failure } from '../../../core/failure.ts'
import { allFields, decodeUnstructured, firstField } from '../../../core/mime/header.ts'
import { parseStructure } from '../../../core/mime/structure.ts'
import { decodeTransfer } from '../../../core/mime/transfer.ts'

const KEPT = new Set(['to', 'cc', 'bcc', 'subject'])
/** Postern writes these itself. */
const OWN = new Set(['from', 'date', 'message-id', 'mime-version', 'in-reply-to', 'references'])
const CONTENT = new Set(['content-type', 'content-transfer-encoding'])
const CHARSETS = new Set(['utf-8', 'us-ascii'])

export function replyLetter(bytes: Uint8Array): Letter {
  const { header, root } = parseStructure(bytes)
  const other = header.find(({ name }) => ![KEPT, OWN, CONTENT].some((known) => known.has(name.toLowerCase())))
  if (other !== undefined) throw refused(`no ${other.name.slice(0, 40)} field`)
  const { charset = 'utf-8' } = root.parameters
  if (root.type !== 'text/plain' || !CHARSETS.has(charset.toLowerCase()))
    throw refused('no body but plain text in UTF-8')
  const body = new TextDecoder().decode(decodeTransfer(bytes.subarray(root.start, root.end), root.encoding))
  return {
    to: people('To'),
    cc: people('Cc'),
    bcc: people('Bcc'),
    subject: decodeUnstructured(firstField(header, 'subject') ?? ''),
    body: body.replaceAll('\r\n', '\n'),
  }

  function people(field: string): string[] {
    return allFields(header, field)
      .filter((value) => value.trim() !== '')
      .flatMap((value) => addressList(decodeUnstructured(value), `the ${field} field of rfc822`))
  }
}

function refused(what: string): Failure {
  return new Failure(
    'invalid_input',
    `with reply_to, rfc822 may have ${what}; write To, Cc, Bcc, Subject and your own words`,
  )
}
