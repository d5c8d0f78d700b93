/**
 * One address as a caller writes it: `ada@example.org`, `Ada <ada@example.org>`, `"Lovelace, Ada" <ada@example.org>`.
 *
 * INVARIANT: what is taken is a single mailbox of RFC 5322 without its obsolete forms: no group, no route, no comment, no
 * second address. Nothing is mended: what is not plainly an address is refused.
 */
import { Failure } from '../failure.ts'
import { cut } from '../text/cut.ts'
import { cleanLine } from '../text/plain.ts'

export interface StrictAddress {
  /** Empty where there is none; one line, single blanks. */
  readonly name: string
  readonly address: string
}

const MOST_CHARACTERS = 600
const MOST_NAME = 256
const MOST_ADDRESS = 254
const MOST_LOCAL = 64
const MOST_DOMAIN = 253

/** Line breaks and control characters of every kind, and those that change the direction of the text around them. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LOCAL = new RegExp(`^(?:${ATEXT}(?:\\.${ATEXT})*|"(?:[ !#-[\\]-~]|\\\\[ -~])*")$`)
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const LITERAL = /^\[[A-Za-z0-9.:-]{1,100}\]$/
/** What may stand in a name without quotes; a dot is obsolete there, yet everybody writes it. */
const BARE_NAME = /^[^\p{Cc}()<>[\]:;@\\,"]+$/u
const QUOTED_NAME = /^"((?:[^"\\]|\\.)*)"$/u

/** `what` names the argument in the refusal. */
export function strictAddress(text: string, what: string): StrictAddress {
  const wrong = (reason: string): Failure =>
    new Failure('invalid_input', `${what} ${reason}`, { details: { address: offending(text) } })
  if (text.trim() === '') throw wrong('is empty; write an address such as name@example.com')
  if (FORBIDDEN.test(text)) throw wrong('must be one line without control characters')
  if (text.length > MOST_CHARACTERS) throw wrong(`must have at most ${MOST_CHARACTERS} characters`)
  const parts = mailboxParts(text)
  if (parts === undefined) {
    throw wrong('must be a single address, such as name@example.com or Name <name@example.com>')
  }
  return { name: nameIn(parts.name, wrong), address: bareAddress(parts.address, wrong) }
}

export type Wrong = (reason: string) => Failure

const MOST_SHOWN = 100

/** What a caller wrote, for telling it: one line and short. */
export function offending(text: string): string {
  return cut(cleanLine(text).text, MOST_SHOWN).text
}

/** What stands before the angle brackets and what in them, as written; without them there is no name. */
export function mailboxParts(text: string): StrictAddress | undefined {
  const written = text.trim()
  const opening = openingBracket(written)
  if (opening === -1) return { name: '', address: written }
  if (!written.endsWith('>')) return undefined
  return { name: written.slice(0, opening).trim(), address: written.slice(opening + 1, -1) }
}

/** The first `<` that stands in no quotes. */
function openingBracket(text: string): number {
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\' && quoted) at++
    else if (character === '"') quoted = !quoted
    else if (character === '<' && !quoted) return at
  }
  return -1
}

function nameIn(written: string, wrong: Wrong): string {
  const said = unquotedName(written)
  if (said === undefined) {
    throw wrong('has a name with special characters; put the name in double quotes: "Last, First" <name@example.com>')
  }
  const name = said.replace(/\s+/gu, ' ').trim()
  if (name.length > MOST_NAME) throw wrong(`has a name of more than ${MOST_NAME} characters`)
  return name
}

/** What a name says; undefined where it should have been quoted. */
export function unquotedName(written: string): string | undefined {
  const [, quoted] = QUOTED_NAME.exec(written) ?? []
  if (quoted !== undefined) return quoted.replace(/\\(.)/gu, '$1')
  return written === '' || BARE_NAME.test(written) ? written : undefined
}

/** Without name and brackets. */
export function bareAddress(written: string, wrong: Wrong): string {
  const at = written.lastIndexOf('@')
  const [local, domain] = [written.slice(0, at), written.slice(at + 1)]
  if (at < 1 || domain === '') throw wrong('is no address; write one such as name@example.com')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: whatever is not ASCII.
  if (/[^\x00-\x7f]/.test(domain)) throw wrong('has a domain in other letters than ASCII; write its xn-- form')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: whatever is not ASCII.
  if (/[^\x00-\x7f]/.test(local))
    throw wrong('has other letters than ASCII before the @, which few servers can deliver')
  const known = LOCAL.test(local) && (isDomain(domain) || LITERAL.test(domain))
  if (!known) {
    throw wrong(
      'must be a single address, such as name@example.com or Name <name@example.com>, without groups or routes',
    )
  }
  if (local.length > MOST_LOCAL || written.length > MOST_ADDRESS) throw wrong('is longer than an address can be')
  return written
}

function isDomain(domain: string): boolean {
  return domain.length <= MOST_DOMAIN && domain.split('.').every((label) => LABEL.test(label))
}
