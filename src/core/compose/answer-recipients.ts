/**
 * To whom an answer goes.
 *
 * INVARIANT: every address stood plainly in the one field of the original that says so. What is no single address by
 * itself is refused, never mended; a name is decoded last and can name no other address.
 */
import { Failure } from '../failure.ts'
import { allFields, type HeaderField } from '../mime/header.ts'
import { decodeWords } from '../mime/words.ts'
import { cut } from '../text/cut.ts'
import { cleanLine } from '../text/plain.ts'
import { splitAtCommas } from './address-list.ts'
import { bareAddress, mailboxParts, type StrictAddress, unquotedName } from './strict-address.ts'

/** Who wants answers to go to more people does not want an answer. */
const MOST_RECIPIENTS = 20
/** No list of so few is longer. */
const MOST_CHARACTERS = 20_000
/** Short enough that, quoted, it is still taken as an address that a caller wrote. */
const MOST_NAME = 128

/** Reply-To, else From; where the account itself wrote the original, those it wrote to. */
export function answerRecipients(original: readonly HeaderField[], ownAddress: string): StrictAddress[] {
  const field = isByOwner(original, ownAddress) ? 'To' : hasText(original, 'Reply-To') ? 'Reply-To' : 'From'
  const found = distinct(peopleIn(original, field))
  const others = found.filter(({ address }) => !isSame(address, ownAddress))
  return others.length > 0 ? others : found
}

function isByOwner(original: readonly HeaderField[], ownAddress: string): boolean {
  const written = allFields(original, 'from')
  const [only = ''] = written
  const address = mailboxParts(only)?.address ?? ''
  return written.length === 1 && splitAtCommas(only).length === 1 && isSame(address, ownAddress)
}

function hasText(original: readonly HeaderField[], field: string): boolean {
  return allFields(original, field).some((value) => value.trim() !== '')
}

function peopleIn(original: readonly HeaderField[], field: string): StrictAddress[] {
  const written = allFields(original, field).filter((value) => value.trim() !== '')
  const [only] = written
  if (only === undefined) throw unanswerable(`names nobody in its ${field} field`)
  if (written.length > 1) throw unanswerable(`has several ${field} fields`)
  const elements = only.length > MOST_CHARACTERS ? [] : splitAtCommas(only)
  if (elements.length === 0 || elements.length > MOST_RECIPIENTS) {
    throw unanswerable(`wants answers to go to more than ${MOST_RECIPIENTS} addresses`)
  }
  return elements.map((element) => personIn(element, field))
}

function personIn(element: string, field: string): StrictAddress {
  const wrong = (): Failure => unanswerable(`does not plainly say an address in its ${field} field`)
  const parts = mailboxParts(element.replaceAll('\t', ' '))
  if (parts === undefined) throw wrong()
  const address = bareAddress(parts.address, wrong)
  // Many programs write the address twice and leave out the quotes.
  const name = isSame(parts.name, address) ? '' : unquotedName(parts.name)
  if (name === undefined) throw wrong()
  return { name: harmlessName(name), address }
}

/** A name with an address in it would be read as the address by whoever glances at it. */
function harmlessName(written: string): string {
  const name = cleanLine(decodeWords(written)).text.replace(/\s+/gu, ' ')
  return /[@<>]/.test(name.normalize('NFKC')) ? '' : cut(name, MOST_NAME).text.trim()
}

function distinct(list: readonly StrictAddress[]): StrictAddress[] {
  return list.filter((one, at) => list.findIndex(({ address }) => isSame(address, one.address)) === at)
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function unanswerable(reason: string): Failure {
  const message = `the message ${reason}, so it cannot be answered; write to the address that you mean in a message of its own`
  return new Failure('unreadable', message, { stage: 'recipients' })
}
