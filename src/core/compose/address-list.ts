/**
 * Addresses in one string, as callers write them: `a@example.org, "Lovelace, Ada" <ada@example.org>`.
 *
 * INVARIANT: every comma that stands in no quotes separates two addresses, and each of them is one by itself; nothing is
 * mended or left out.
 */
import { Failure } from '../failure.ts'
import { offending, strictAddress } from './strict-address.ts'

export const MOST_ADDRESSES = 100

/** Each as written. `what` names the argument in a refusal, whose details hold the address that is none. */
export function addressList(text: string, what: string): string[] {
  const elements = splitAtCommas(text)
  if (elements.length > MOST_ADDRESSES) {
    throw new Failure('invalid_input', `${what} must name at most ${MOST_ADDRESSES} addresses`)
  }
  for (const [at, element] of elements.entries()) {
    if (element === '') throw empty(text, what)
    strictAddress(element, elements.length === 1 ? what : `${what}[${at}]`)
  }
  return elements
}

function empty(text: string, what: string): Failure {
  const reason = text.trim() === '' ? 'is empty; write an address such as name@example.com' : 'has a comma too many'
  return new Failure('invalid_input', `${what} ${reason}`, { details: { address: offending(text) } })
}

/** A quotation that does not end goes on to the end of the text. */
export function splitAtCommas(text: string): string[] {
  const elements: string[] = []
  let quoted = false
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\' && quoted) at++
    else if (character === '"') quoted = !quoted
    else if (character === ',' && !quoted) {
      elements.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return [...elements, text.slice(start).trim()]
}
