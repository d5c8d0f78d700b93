/**
 * Addresses of people, as header fields name them.
 *
 * INVARIANT: what is an address is decided before anything is decoded, so an encoded word can never add one; addresses are
 * given as written, never mended.
 */
import { scanAddresses } from './address-scan.ts'

export interface Address {
  /** Decoded, one line; empty where there is none. */
  readonly name: string
  /** As written, without its angle brackets; empty where only a name was given. */
  readonly address: string
}

/** Every address of a field, those in groups among them. */
export function parseAddresses(value: string): Address[] {
  return scanAddresses(value).addresses
}

/** `Name <address>, address`: one line. A name that holds specials is quoted. */
export function formatAddresses(list: readonly Address[]): string {
  return list.map(formatAddress).join(', ')
}

/** Signs with a meaning of their own, and blanks in a row, which would be read as one. */
const SPECIAL = /[()<>[\]:;@\\,."]|\s\s/
const NOT_BARE = /[\s(),:;<>]/

function formatAddress({ name, address }: Address): string {
  if (name === '') return address === '' || NOT_BARE.test(address) ? `<${address}>` : address
  const shown = SPECIAL.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name
  return `${shown} <${address}>`
}
