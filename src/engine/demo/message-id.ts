/** Message-IDs that say no more of a letter than a program would: a number that looks like chance, and a domain. */
import { Dice } from './dice.ts'
import type { Letter } from './letter.ts'
import { addressOf, domainOf } from './people.ts'

/** The host of senders whose domain cannot stand in a Message-ID as it is. */
const RELAY = 'mailout.example'

export function messageIdOf(letter: Pick<Letter, 'id' | 'from'>): string {
  const domain = domainOf(addressOf(letter.from))
  return `<${opaqueName(letter)}@${/^[\w.-]+$/.test(domain) ? domain : RELAY}>`
}

/** The same for the same letter, whatever `now` is; it has the shape of a random UUID. */
export function opaqueName({ id }: Pick<Letter, 'id'>): string {
  const dice = new Dice(`name of ${id}`)
  const digits = (count: number): string =>
    Array.from({ length: count }, () => dice.between(0, 15).toString(16)).join('')
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${dice.pick(['8', '9', 'a', 'b'])}${digits(3)}-${digits(12)}`
}
