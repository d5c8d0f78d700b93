/**
 * What is odd about who a message says it is from.
 *
 * INVARIANT: linear in the size of the header, never throws. Only what misleads a reader counts: upper case, a trailing dot,
 * `+`, `%` or `!` in an address do not.
 */
import { mergeWarnings, type Warning, type WarningKind } from '../content.ts'
import { type AddressScan, scanAddresses } from '../mime/address-scan.ts'
import type { Address } from '../mime/addresses.ts'
import { allFields, type HeaderField } from '../mime/header.ts'
import { decodeWords } from '../mime/words.ts'
import { domainOf, isImitation, registeredDomain } from './domains.ts'
import { cleanText } from './plain.ts'

/** Fields that a message may have once. */
const SINGLE = 'from sender reply-to to cc subject date message-id in-reply-to references content-type'.split(' ')
/** Fields whose decoded text people are shown. */
const SHOWN = ['from', 'sender', 'reply-to', 'to', 'cc', 'subject']
/** People whose own domains an imitation would be of; the rest of a long list adds nothing. */
const MAX_READERS = 50
/** More senders than one are odd already. */
const MAX_SENDERS = 20

export function senderWarnings(header: readonly HeaderField[]): Warning[] {
  return mergeWarnings([
    warning('sender_suspicious', countOddities(header)),
    warning('reply_to_differs', countForeignReplies(header)),
    warning('duplicate_header', countDuplicates(header)),
    warning('control_characters_removed', countEncodedControls(header)),
  ])
}

function warning(kind: WarningKind, count: number): Warning {
  return { kind, count }
}

function countOddities(header: readonly HeaderField[]): number {
  const fields = allFields(header, 'from')
  if (fields.length === 0) return 0
  const scans = fields.map(scanAddresses)
  const senders = scans.flatMap(({ addresses }) => addresses).slice(0, MAX_SENDERS)
  const readers = readersOf(header)
  const oddities = [
    senders.length !== 1,
    scans.some(isOddlyWritten),
    fields.some(holdsHiddenCharacters),
    senders.some(hasBadAddress),
    senders.some(namesAnother),
    senders.some(({ address }) => isImitation(domainOf(address), readers)),
    isSentForAnother(header, senders, readers),
  ]
  return oddities.filter((odd) => odd).length
}

function readersOf(header: readonly HeaderField[]): string[] {
  const readers = ['delivered-to', 'to', 'cc']
    .flatMap((name) => allFields(header, name))
    .flatMap((value) => scanAddresses(value).addresses)
  return [...new Set(readers.slice(0, MAX_READERS).map(({ address }) => domainOf(address)))]
}

function isOddlyWritten({ groups, routes, encodedAddresses }: AddressScan): boolean {
  return groups > 0 || routes > 0 || encodedAddresses > 0
}

/** Invisible and direction characters, letters in disguise, line breaks and control characters, encoded or not. */
function holdsHiddenCharacters(value: string): boolean {
  return cleanText(decodeWords(value)).warnings.length > 0 || /[\n\t]/.test(decodeWords(value))
}

/** Nothing, no `@`, several of them, one inside quotes, or white space where none can be. */
function hasBadAddress({ address }: Address): boolean {
  const at = address.lastIndexOf('@')
  if (at < 1 || at === address.length - 1) return true
  return address.slice(0, at).includes('@') || /[\s"<>]/.test(address)
}

// Bounded, so that a long name without an `@` is not scanned to its end from every letter.
const ADDRESS = /[^\s<>()"',;:@]{1,64}@[^\s<>()"',;:@]{1,255}/g

/** A name that says another address than the real one, or that looks as if it ended in one. */
function namesAnother({ name, address }: Address): boolean {
  if (/[<>]/.test(name)) return true
  const own = plainAddress(address)
  const claimed = name.match(ADDRESS) ?? []
  return claimed.some((other) => plainAddress(other) !== own)
}

function plainAddress(address: string): string {
  return address.toLowerCase().replace(/[.]+$/, '')
}

/** Mailing lists send for others all the time: they say that they are lists, or are whom the message is to. */
function isSentForAnother(
  header: readonly HeaderField[],
  senders: readonly Address[],
  readers: readonly string[],
): boolean {
  const [from] = senders
  const [sender] = allFields(header, 'sender').flatMap((value) => scanAddresses(value).addresses)
  if (from === undefined || sender === undefined || listText(header) !== '') return false
  const house = registeredDomain(domainOf(sender.address))
  return !isSameHouse(from, sender) && !readers.some((reader) => registeredDomain(reader) === house)
}

function countForeignReplies(header: readonly HeaderField[]): number {
  const [from] = allFields(header, 'from').flatMap((value) => scanAddresses(value).addresses)
  if (from === undefined) return 0
  const list = listText(header)
  const replies = allFields(header, 'reply-to').flatMap((value) => scanAddresses(value).addresses)
  return replies.filter((reply) => !isSameHouse(from, reply) && !list.includes(domainOf(reply.address))).length
}

function listText(header: readonly HeaderField[]): string {
  return ['list-id', 'list-post', 'mailing-list']
    .flatMap((name) => allFields(header, name))
    .join(' ')
    .toLowerCase()
}

function isSameHouse(one: Address, other: Address): boolean {
  return registeredDomain(domainOf(one.address)) === registeredDomain(domainOf(other.address))
}

function countDuplicates(header: readonly HeaderField[]): number {
  return SINGLE.reduce((count, name) => count + Math.max(0, allFields(header, name).length - 1), 0)
}

/** Fields that decode to line breaks or control characters: an attempt to write other fields. */
function countEncodedControls(header: readonly HeaderField[]): number {
  const values = SHOWN.flatMap((name) => allFields(header, name)).filter((value) => value.includes('=?'))
  return values.filter((value) => /[^\P{Cc}\t]/u.test(decodeWords(value))).length
}
