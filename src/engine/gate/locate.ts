/**
 * Turns the folders that a call names into mailboxes of their servers, and back into paths for the policy.
 *
 * INVARIANT: what the policy judges and what the server is asked for are the same folder, in one spelling only.
 */

import { mailboxMissing } from '../../core/absent.ts'
import type { Action, Destination } from '../../core/action.ts'
import { mapPlaces, UNCHANGED } from '../../core/decision/action-places.ts'
import type { Place } from '../../core/decision/needs.ts'
import { type FolderStyle, nameOf, pathOf } from '../../core/mailbox-path.ts'
import { isPattern, normalPath, type Policy } from '../../core/policy/policy.ts'
import type { AccountBook } from '../accounts/accounts.ts'
import { atTarget } from './at-target.ts'

export class Locator {
  readonly #book: AccountBook
  readonly #style: FolderStyle
  readonly #policy: Policy
  readonly #signal: AbortSignal

  constructor(book: AccountBook, style: FolderStyle, policy: Policy, signal: AbortSignal) {
    this.#book = book
    this.#style = style
    this.#policy = policy
    this.#signal = signal
  }

  /** The path of each place. Only where callers write names and the policy tells folders apart is a server asked. */
  async paths(places: readonly Place[]): Promise<(place: Place) => string> {
    const paths = new Map<string, string>()
    for (const place of places) paths.set(keyOf(place), await this.#path(place))
    return (place) => paths.get(keyOf(place)) ?? ''
  }

  /** The action with every folder under the name that its server knows. */
  async toNames<A extends Action>(action: A): Promise<A> {
    if (this.#style !== 'paths') return action
    const renamed = async <P extends Destination>(place: P): Promise<P> => ({
      ...place,
      mailbox: await this.#name(place.account, place.mailbox),
    })
    return mapPlaces(action, {
      ...UNCHANGED,
      folder: renamed,
      target: async (folder) => ({ ...folder, mailbox: await this.#targetName(folder) }),
      message: renamed,
    })
  }

  /**
   * A folder that only a pattern speaks of must be one that the server lists: some servers open a mailbox under other
   * spellings of its name too, and the policy may have something else to say about the right one.
   */
  async mustBeListed({ account, mailbox }: Place, path: string): Promise<void> {
    if (!this.#policy.byFolder || !isPattern(this.#policy.folder(account, path).path)) return
    const listed = await this.#book.get(account).source.mailboxes(this.#signal)
    const known = listed.some(
      (box) => box.selectable && normalPath(pathOf(box.name, box.delimiter)) === normalPath(path),
    )
    if (!known || mailbox === '') throw mailboxMissing()
  }

  async #path({ account, mailbox }: Place): Promise<string> {
    if (this.#style === 'paths' || !this.#policy.byFolder) return mailbox
    return pathOf(mailbox, await this.#delimiter(account))
  }

  async #name(account: string, path: string): Promise<string> {
    const name = nameOf(path, await this.#delimiter(account))
    if (name === undefined) throw mailboxMissing()
    return name
  }

  #targetName({ account, mailbox }: Destination): Promise<string> {
    return atTarget(() => this.#name(account, mailbox))
  }

  #delimiter(account: string): Promise<string | undefined> {
    return this.#book.get(account).source.delimiter(this.#signal)
  }
}

function keyOf({ account, mailbox }: Place): string {
  return JSON.stringify([account, mailbox])
}
