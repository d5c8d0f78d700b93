/**
 * What rules and criteria may look at.
 *
 * INVARIANT: complete before any rule runs. Read from the header fields themselves by our own parser; nothing here is
 * what a server made of them. A fact that was not asked for is absent, and a rule that misses one denies. So is one whose
 * fields hold more than 2,000 addresses or 64 kB together: rules that need it hide the message, and a search by it does
 * not find the message.
 */

import { firstAddresses } from '../mime/address-scan.ts'
import { parseAddresses } from '../mime/addresses.ts'
import { attachmentsOf } from '../mime/bodies.ts'
import { allFields, decodeUnstructured, type HeaderField } from '../mime/header.ts'
import type { Part } from '../mime/part.ts'
import { isAuthenticated } from './authentication.ts'
import { foldText, normalAddress } from './normal-form.ts'
import { readSenders } from './senders.ts'

export interface Facts {
  /** Every address of every From field, in its normal form; where a field can be read in two ways, of both. */
  readonly from?: readonly string[]
  /** Every address of To and Cc. */
  readonly to?: readonly string[]
  /** Every Subject field, decoded and folded. */
  readonly subjects?: readonly string[]
  readonly authenticated?: boolean
  readonly hasAttachment?: boolean
  readonly flagged: boolean
  readonly size: number
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
}

/** What has to be fetched of a message for a fact, beyond flags, size and date. */
export type FactSource = 'senders' | 'recipients' | 'subject' | 'authentication' | 'structure'

export interface Evidence {
  readonly size: number
  readonly received: number
  readonly flags: readonly string[]
  readonly header: readonly HeaderField[]
  /** Fields may be missing: then nothing is known from the header. */
  readonly headerCut?: boolean
  readonly structure?: Part | undefined
}

/** The header fields that a source of facts is read from. */
export const FIELDS_OF: Readonly<Record<FactSource, readonly string[]>> = {
  senders: ['From'],
  recipients: ['To', 'Cc'],
  subject: ['Subject'],
  authentication: ['From', 'Received', 'Authentication-Results'],
  structure: [],
}

/** Nobody who wants to be read writes more, and reading it would keep everyone else waiting. */
const MOST_ADDRESSES = 2000
const MOST_CHARACTERS = 65_536

/** `authservId` is the name under which the account's own server reports, where it is known. */
export function factsOf(
  { size, received, flags, header, headerCut = false, structure }: Evidence,
  wanted: ReadonlySet<FactSource>,
  authservId: string | undefined,
): Facts {
  const short = charactersIn(header.map(({ value }) => value)) <= MOST_ADDRESSES
  const known = (source: FactSource): boolean =>
    wanted.has(source) && !headerCut && (short || isReadable(header, source))
  const senders = known('senders') ? readSenders(header) : undefined
  return {
    size,
    received,
    flagged: isFlagged(flags),
    ...(senders !== undefined && { from: senders.addresses }),
    ...(known('recipients') && { to: [...people(header, 'to'), ...people(header, 'cc')] }),
    ...(known('subject') && { subjects: allFields(header, 'subject').map(folded) }),
    ...(known('authentication') && { authenticated: isAuthenticated(header, authservId, senders) }),
    ...(wanted.has('structure') && structure !== undefined && { hasAttachment: attachmentsOf(structure).length > 0 }),
  }
}

export function isFlagged(flags: readonly string[]): boolean {
  return flags.some((flag) => flag.toLowerCase() === '\\flagged')
}

/** Of a header that is short as a whole nobody need ask: an address takes a character at least. */
function isReadable(header: readonly HeaderField[], source: FactSource): boolean {
  const characters = charactersIn(FIELDS_OF[source].flatMap((name) => allFields(header, name)))
  if (characters > MOST_CHARACTERS) return false
  // For the same reason almost no field has to be counted.
  if (characters <= MOST_ADDRESSES || source === 'subject') return true
  return countAddresses(header, source === 'recipients' ? ['to', 'cc'] : ['from']) <= MOST_ADDRESSES
}

function charactersIn(values: readonly string[]): number {
  return values.reduce((sum, value) => sum + value.length, 0)
}

/** No further than to one more than is read. What has several `@` may be read as several. */
function countAddresses(header: readonly HeaderField[], names: readonly string[]): number {
  let count = 0
  for (const value of names.flatMap((name) => allFields(header, name))) {
    const found = firstAddresses(value, Math.max(0, MOST_ADDRESSES + 1 - count))
    for (const { address } of found) count += Math.max(1, address.split('@').length - 1)
  }
  return count
}

function folded(subject: string): string {
  return foldText(decodeUnstructured(subject))
}

function people(header: readonly HeaderField[], name: string): string[] {
  return allFields(header, name).flatMap(addressesIn)
}

function addressesIn(value: string): string[] {
  return parseAddresses(value).map(({ address }) => normalAddress(address))
}
