/**
 * Whose mail a call has shown to its caller.
 *
 * INVARIANT: of whatever is shown of a message, even in a list, all who could read it anyway are its sender, its recipients
 * and the owner of the account; nobody else is ever taken for a reader.
 */
import { parseAddresses } from '../../core/mime/addresses.ts'
import { allFields, type HeaderField } from '../../core/mime/header.ts'
import { normalAddress } from '../../core/policy/normal-form.ts'
import type { ReadMail } from '../../ports/read-notes.ts'
import type { Account } from '../accounts/accounts.ts'

const FIELDS = ['from', 'to', 'cc'] as const
/** A list of hostile length: who is beyond it is no reader. */
const MOST_READERS = 500

export interface Reading {
  /** Something was told of messages that are not shown, as by counting those that hold a word: all of them count as read. */
  unshown(account: Pick<Account, 'id' | 'address'>): void
  /** `header` has at least From, To and Cc; whoever is missing in it is no reader. */
  message(account: Pick<Account, 'id' | 'address'>, header: readonly HeaderField[]): void
  readonly all: readonly ReadMail[]
}

export class ReadingOfCall implements Reading {
  readonly #byKey = new Map<string, ReadMail>()

  message(account: Pick<Account, 'id' | 'address'>, header: readonly HeaderField[]): void {
    const read = { account: account.id, readers: readersOf(account, header) }
    this.#byKey.set(JSON.stringify([read.account, read.readers]), read)
  }

  unshown(account: Pick<Account, 'id' | 'address'>): void {
    this.message(account, [])
  }

  get all(): readonly ReadMail[] {
    return [...this.#byKey.values()]
  }
}

/** In their normal form, sorted, each once. */
export function readersOf(account: Pick<Account, 'address'>, header: readonly HeaderField[]): readonly string[] {
  const written = FIELDS.flatMap((field) => allFields(header, field).flatMap((value) => parseAddresses(value)))
  const addresses = written.slice(0, MOST_READERS).map(({ address }) => normalAddress(address))
  const own = account.address === undefined ? [] : [normalAddress(account.address)]
  return [...new Set([...own, ...addresses])].toSorted()
}
