/**
 * Everyone whom the From fields of a message can be read to name.
 *
 * INVARIANT: where a spelling can be read in several ways, all of them count: who evades a cap must not be free to choose
 * how an odd one is read, and no grant rests on one reading alone.
 */
import { parseAddresses } from '../mime/addresses.ts'
import { allFields, type HeaderField } from '../mime/header.ts'
import { squeezeAddresses } from '../mime/squeeze-addresses.ts'
import { normalAddress } from './normal-form.ts'

export interface Senders {
  /** How many addresses there are, each read as it is written. */
  readonly written: number
  /** In every reading, in their normal form. */
  readonly addresses: readonly string[]
}

export function readSenders(header: readonly HeaderField[]): Senders {
  const fields = allFields(header, 'from')
  const written = fields.flatMap((value) => parseAddresses(value))
  const others = fields.map(squeezeAddresses).filter((value, index) => value !== fields[index])
  const read = [...written, ...others.flatMap((value) => parseAddresses(value))]
  const addresses = [...new Set(read.flatMap(({ address }) => readingsOf(address)).map(normalAddress))]
  return { written: written.length, addresses }
}

/** In their normal form. */
export function sendersIn(header: readonly HeaderField[]): string[] {
  return [...readSenders(header).addresses]
}

const ORDINARY = /^(?:"(?:[^"\\]|\\.)*"|[^"\s@]*)@[^"\s@]*$/

/** An address with blanks or several `@` in it is one to some readers and another, or several, to others. */
function readingsOf(address: string): string[] {
  if (ORDINARY.test(address)) return [address]
  const words = address.split(/\s+/).filter((word) => word !== '')
  const pairs = words.flatMap((word) => neighbours(word.split('@')))
  return [address, ...pairs]
}

/** `a@b@c` may mean a at b, or b at c. */
function neighbours(pieces: readonly string[]): string[] {
  return pieces.slice(1).map((piece, index) => `${pieces[index]}@${piece}`)
}
