/**
 * The last look at a message before it leaves: that it says to whom it goes, and goes to nobody else.
 *
 * INVARIANT: what passes is ASCII in lines that end in CRLF, has one From, which is the sender of the envelope, names in To and Cc
 * nobody but recipients of the envelope, and has no field that tells of, or adds, others; where recipients are taken from the
 * header, a Bcc names the rest of them and nobody else. The bytes themselves are read, by the same readers that read foreign
 * mail, never what they were made from.
 */
import { strictAddress } from '../compose/strict-address.ts'
import { Failure } from '../failure.ts'
import { scanAddresses } from '../mime/address-scan.ts'
import { asciiText } from '../mime/bytes.ts'
import { allFields, type HeaderField, headerExtent, isFull, MAX_HEADER_BYTES, parseHeader } from '../mime/header.ts'
import { addressKey } from './sending.ts'

export interface Envelope {
  readonly from: string
  /** All who get it, each once. */
  readonly recipients: readonly string[]
  /** Where they are given: exactly those that the field names, in order. */
  readonly to?: readonly string[]
  readonly cc?: readonly string[]
  /** Given where the header says who gets it: exactly those of its Bcc, in order; all others stand in To or Cc. */
  readonly bcc?: readonly string[]
}

/** Throws `Failure('invalid_input')`. Nothing has been sent then, and nothing may be. */
export function checkWire(bytes: Uint8Array, envelope: Envelope): void {
  checkEnvelope(envelope)
  checkBytes(bytes)
  const fields = headerOf(bytes)
  checkFieldNames(fields, envelope.bcc !== undefined)
  const [from, to, cc] = [namedIn(fields, 'From'), namedIn(fields, 'To'), namedIn(fields, 'Cc')]
  if (!isSameList(from, [envelope.from])) throw unfit('does not come from the sender that it is sent for')
  const known = new Set(envelope.recipients.map(addressKey))
  if ([...to, ...cc].some((address) => !known.has(addressKey(address)))) {
    throw unfit('names somebody who is not among its recipients')
  }
  if (envelope.to !== undefined && !isSameList(to, envelope.to)) throw unfit('names others in To than it should')
  if (envelope.cc !== undefined && !isSameList(cc, envelope.cc)) throw unfit('names others in Cc than it should')
  if (envelope.bcc !== undefined) checkAllNamed(fields, envelope.recipients, envelope.bcc)
}

/** Those that neither To nor Cc names, in order. */
export function unnamedIn(bytes: Uint8Array, recipients: readonly string[]): readonly string[] {
  const fields = headerOf(bytes)
  const named = new Set([...namedIn(fields, 'To'), ...namedIn(fields, 'Cc')].map(addressKey))
  return recipients.filter((address) => !named.has(addressKey(address)))
}

function checkAllNamed(fields: readonly HeaderField[], recipients: readonly string[], hidden: readonly string[]): void {
  if (!isSameList(namedIn(fields, 'Bcc'), hidden)) throw unfit('names others in Bcc than it should')
  const named = new Set(['To', 'Cc', 'Bcc'].flatMap((name) => namedIn(fields, name)).map(addressKey))
  const known = new Set(recipients.map(addressKey))
  if (named.size !== known.size || !known.isSubsetOf(named)) throw unfit('does not name just its recipients')
}

function checkEnvelope({ from, recipients }: Envelope): void {
  if (recipients.length === 0) throw unfit('has no recipient')
  for (const address of [from, ...recipients]) checkAddress(address)
  if (new Set(recipients.map(addressKey)).size < recipients.length) throw unfit('names a recipient twice')
}

/** Signs that some server on the way could read as the end of an address or the beginning of another. */
const TRICKS = /[\s<>@,;:\\()]/

/** Bare: as it stands between the angle brackets of a command. */
function checkAddress(address: string): void {
  const read = strictAddress(address, 'an address of the message')
  const local = address.slice(0, address.lastIndexOf('@'))
  if (read.address !== address || TRICKS.test(local)) throw unfit('has an address that not every server reads alike')
}

const [CR, LF, LONGEST_LINE] = [0x0d, 0x0a, 998]

/** A lone CR or LF is a line break to some servers and not to others: what one takes for text is a command to the next. */
function checkBytes(bytes: Uint8Array): void {
  let lineStart = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === CR && bytes[at + 1] === LF) {
      if (at - lineStart > LONGEST_LINE) throw unfit('has a line that is longer than mail may have')
      at += 1
      lineStart = at + 1
    } else if (byte === 0 || byte === CR || byte === LF || byte > 0x7f) {
      throw unfit('has bytes that mail cannot carry as they are')
    }
  }
  if (bytes.length === 0 || lineStart !== bytes.length) throw unfit('does not end with a whole line')
}

const FIELD = /^[A-Za-z][A-Za-z0-9-]*:/
const FOLDED = /^[ \t]+[^ \t]/

function headerOf(bytes: Uint8Array): readonly HeaderField[] {
  const { end, bodyStart } = headerExtent(bytes)
  if (end === bodyStart || end > MAX_HEADER_BYTES) throw unfit('has a header without an end')
  const lines = asciiText(bytes.subarray(0, end)).split('\r\n').slice(0, -1)
  if (!lines.every((line, at) => FIELD.test(line) || (at > 0 && FOLDED.test(line)))) {
    throw unfit('has a line in its header that is no field')
  }
  const fields = parseHeader(bytes)
  if (isFull(fields)) throw unfit('has too many header fields')
  return fields
}

const AT_MOST_ONCE = new Set([
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'message-id', 'in-reply-to', 'references', 'subject', 'date'],
  ...['mime-version', 'content-type', 'content-transfer-encoding'],
])

function checkFieldNames(fields: readonly HeaderField[], mayHide: boolean): void {
  const names = fields.map(({ name }) => name.toLowerCase())
  if (names.some((name) => (name === 'bcc' && !mayHide) || name.startsWith('resent-'))) {
    throw unfit('has a field that only a server may see')
  }
  const once = names.filter((name) => AT_MOST_ONCE.has(name))
  if (new Set(once).size < once.length) throw unfit('has a header field twice')
}

const ELEMENTS = /(?:"(?:[^"\\]|\\.)*"|[^",])+/g
/** An address, or one in brackets behind a name that is quoted or has no sign of its own meaning. */
const PLAIN = /^(?:(?:"(?:[^"\\]|\\.)*" ?|[^()<>[\]:;@\\,"]*)<([^<>\s]+)>|([^<>()\s,;:]+))$/

/** The addresses of a field. It must be written so plainly that nobody can find others in it, however they read. */
function namedIn(fields: readonly HeaderField[], name: string): readonly string[] {
  return allFields(fields, name).flatMap((value) => {
    const elements = value.match(ELEMENTS) ?? []
    const named = elements.map((element) => PLAIN.exec(element.trim())).map((found) => found?.[1] ?? found?.[2] ?? '')
    const asRead = scanAddresses(value).addresses.map(({ address }) => address)
    if (elements.join(',') !== value || named.length === 0 || !isSameList(named, asRead)) {
      throw unfit('has an address field that not every reader reads alike')
    }
    for (const address of named) checkAddress(address)
    return named
  })
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((address, at) => addressKey(address) === addressKey(other[at] ?? ''))
}

function unfit(reason: string): Failure {
  return new Failure('invalid_input', `the message ${reason}; it was not sent`, { stage: 'send' })
}
