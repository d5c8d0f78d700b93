/** A query as it was written, made ready for one folder. */
import { GoogleFolders, googleNameIn } from '../../core/google-folders.ts'
import { pathOf } from '../../core/mailbox-path.ts'
import { withRoles } from '../../core/mailbox-roles.ts'
import type { Mailbox } from '../../core/message.ts'
import { parseQuery } from '../../core/query/parse.ts'
import { asksForPlaces, renamePlaces, settle } from '../../core/query/places.ts'
import { EVERYTHING, type Query } from '../../core/query/query.ts'
import type { Account } from '../accounts/accounts.ts'

export function readQuery(text: string | undefined, nowSeconds: number): Query {
  return text === undefined ? EVERYTHING : parseQuery(text, nowSeconds)
}

/** What `in:` and `label:` mean in that folder. A server is asked only where they stand in the query. */
export async function settleFor(account: Account, mailbox: string, query: Query, signal: AbortSignal): Promise<Query> {
  if (!asksForPlaces(query)) return query
  const listed = withRoles(await account.source.mailboxes(signal))
  return settleIn(
    withServerNames(query, listed, account),
    listed.find(({ name }) => name === mailbox) ?? { name: mailbox, delimiter: '/', role: undefined },
  )
}

/** Gmail's own folders under the names that they have in the account. */
export function withServerNames(query: Query, listed: readonly Mailbox[], { google }: Account): Query {
  if (!asksForPlaces(query)) return query
  const folders = new GoogleFolders(listed, google !== undefined)
  return renamePlaces(query, (name) => folders.named(googleNameIn(name) ?? name))
}

export function settleIn(query: Query, { name, delimiter, role }: Pick<Mailbox, 'name' | 'delimiter' | 'role'>): Query {
  return settle(query, { path: pathOf(name, delimiter), role })
}
