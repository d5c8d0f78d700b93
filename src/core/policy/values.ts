/**
 * Reads the values of predicates as people write them.
 *
 * INVARIANT: total. Whatever is given comes back as a value in its normal form, or as what to write instead.
 */
import { domainIn, foldText, normalAddress, normalDomain } from './normal-form.ts'
import type { ValueKind, Values } from './predicates.ts'

export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly expected: string }

const MAX_TEXT = 1000
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 }

const ADDRESS = /^[^@\s<>,;][^\s<>,;]*@[^@\s<>,;]+$/
const DOMAIN = /^[^@\s/*<>,;:?#%\\]+$/
const AN_ADDRESS = 'an address such as alice@example.com'
const A_DOMAIN = 'a domain such as example.com, without wildcards: subdomains are domains of their own'

const READERS: { readonly [K in ValueKind]: (raw: unknown) => Reading<Values[K]> } = {
  address: (raw) => (isLine(raw) && ADDRESS.test(raw.trim()) ? readAddress(raw) : expected(AN_ADDRESS)),
  domain: (raw) => (isLine(raw) && DOMAIN.test(raw.trim()) ? readDomain(raw) : expected(A_DOMAIN)),
  text: (raw) => (isLine(raw) && foldText(raw) !== '' ? read(foldText(raw)) : expected('a piece of text')),
  flag: (raw) => (typeof raw === 'boolean' ? read(raw) : expected('true or false')),
  age: (raw) => readAge(raw),
  bytes: (raw) =>
    typeof raw === 'number' && Number.isSafeInteger(raw) && raw >= 0
      ? read(raw)
      : expected('a number of bytes such as 10000'),
  yes: (raw) => (raw === true ? read(true) : expected('true; leave it out otherwise')),
}

export function readValue<K extends ValueKind>(kind: K, raw: unknown): Reading<Values[K]> {
  return READERS[kind](raw)
}

function readAddress(raw: string): Reading<string> {
  const address = normalAddress(raw)
  return isHost(domainIn(address)) ? read(address) : expected(AN_ADDRESS)
}

function readDomain(raw: string): Reading<string> {
  const domain = normalDomain(raw)
  return isHost(domain) ? read(domain) : expected(A_DOMAIN)
}

/** What stays outside ASCII in its normal form is no name that a sender could have. */
function isHost(domain: string): boolean {
  return /^[\x21-\x7e]+$/.test(domain)
}

function readAge(raw: unknown): Reading<number> {
  const [, digits, unit] = typeof raw === 'string' ? (/^([0-9]{1,6})([smhdwy])$/.exec(raw) ?? []) : []
  const seconds = UNIT_SECONDS[unit ?? '']
  if (digits === undefined || seconds === undefined) return expected('an age such as 12h, 30d or 1y')
  return read(Number(digits) * seconds)
}

/** One line, without control characters, of a length that somebody may have typed. */
function isLine(raw: unknown): raw is string {
  return typeof raw === 'string' && raw.length <= MAX_TEXT && !/\p{Cc}/u.test(raw)
}

function read<T>(value: T): Reading<T> {
  return { ok: true, value }
}

function expected(what: string): { readonly ok: false; readonly expected: string } {
  return { ok: false, expected: what }
}
