/** Who may log in, and how: app passwords by LOGIN and PLAIN, access tokens by XOAUTH2 and OAUTHBEARER. */
import { GmailStore, type NewMessage, type StoreOptions } from './store.ts'

export interface AccountOptions extends StoreOptions {
  readonly user: string
  readonly password?: string
  readonly tokens?: readonly string[]
  readonly messages?: readonly NewMessage[]
  readonly labels?: readonly string[]
}

export class GmailAccount {
  readonly user: string
  readonly store: GmailStore
  /** Access tokens that are good now; a test may add and delete. */
  readonly tokens: Set<string>
  readonly #password: string | undefined
  connections = 0

  constructor(options: AccountOptions) {
    this.user = options.user
    this.#password = options.password
    this.tokens = new Set(options.tokens)
    this.store = new GmailStore(options)
    for (const label of options.labels ?? []) this.store.createLabel(label)
    for (const message of options.messages ?? []) this.store.add(message)
  }

  takesPassword(password: string): boolean {
    return this.#password !== undefined && password === this.#password
  }
}

export type Mechanism = 'PLAIN' | 'XOAUTH2' | 'OAUTHBEARER'

export function isMechanism(name: string): name is Mechanism {
  return ['PLAIN', 'XOAUTH2', 'OAUTHBEARER'].includes(name)
}

/** The account that a SASL answer opens. */
export function authenticated(
  accounts: readonly GmailAccount[],
  mechanism: Mechanism,
  base64: string,
): GmailAccount | undefined {
  const answer = Buffer.from(base64, 'base64').toString('utf8')
  if (mechanism === 'PLAIN') {
    const [, user = '', password = ''] = answer.split('\0')
    return withPassword(accounts, user, password)
  }
  const [first = '', ...fields] = answer.split('\u0001')
  const [, user] = (mechanism === 'XOAUTH2' ? /^user=(.*)$/ : /^n,a=([^,]*),$/).exec(first) ?? []
  const token = fields.flatMap((field) => /^auth=Bearer (.+)$/i.exec(field)?.[1] ?? [])[0]
  const account = named(accounts, user ?? '')
  return token !== undefined && account?.tokens.has(token) === true ? account : undefined
}

export function withPassword(
  accounts: readonly GmailAccount[],
  user: string,
  password: string,
): GmailAccount | undefined {
  const account = named(accounts, user)
  return account?.takesPassword(password) === true ? account : undefined
}

function named(accounts: readonly GmailAccount[], user: string): GmailAccount | undefined {
  return accounts.find((account) => account.user.toLowerCase() === user.toLowerCase())
}

/** What Gmail says to a token that is no good, before it says NO. */
export const TOKEN_CHALLENGE = Buffer.from(
  JSON.stringify({ status: '400', schemes: 'Bearer', scope: 'https://mail.google.com/' }),
).toString('base64')
