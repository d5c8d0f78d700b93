/** What a login is made of: where, as whom, and with what. */
import { loginName, type Server } from '../../../core/setup/servers.ts'
import type { Tried } from '../../../engine/setup/try-account.ts'
import type { Whereabouts } from './ask-servers.ts'
import type { SetupChoice } from './choice.ts'
import type { SetUpAccount } from './desk.ts'

export type Login =
  /** Tried, and good. */
  | { readonly way: 'password'; readonly password: string; readonly smtpPassword?: string; readonly tried: Tried }
  /** Granted in a browser, later. */
  | { readonly way: 'oauth' }
  /** As it is kept already; a password has been tried again, since the servers may be others. */
  | { readonly way: 'kept'; readonly smtpPassword?: string; readonly tried?: Tried }

export interface Users {
  readonly imap: string
  readonly smtp: string
}

export interface LoginPlace {
  readonly address: string
  readonly where: Whereabouts
  /** Where letters leave; absent where none are to. */
  readonly smtp: Server | undefined
  readonly users: Users
  /** Of an authority that somebody named just now. */
  readonly caFile: string | undefined
  readonly there: SetUpAccount | undefined
}

/** With the place as it is in the end: what turns out to be wrong with it is asked for again. */
export interface LoggedIn {
  readonly login: Login
  readonly place: LoginPlace
}

export function usersOf({ address, where, there }: Omit<LoginPlace, 'users'>, choice: SetupChoice): Users {
  const imap = choice.user ?? there?.user ?? loginName(address, where.login)
  const smtp = choice.smtpUser ?? ownSmtpUser(there) ?? choice.user ?? (where.login === 'address' ? imap : address)
  return { imap, smtp }
}

/** Where letters leave as somebody else than mail is read. */
export function ownSmtpUser(there: SetUpAccount | undefined): string | undefined {
  const user = there?.smtp?.user
  return user === there?.user ? undefined : user
}
