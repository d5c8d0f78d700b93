/** What a connection knows once somebody has logged in. */
import type { GmailAccount } from './login.ts'
import type { GmailStore } from './store.ts'
import type { Node } from './syntax.ts'
import type { View } from './view.ts'

export interface Session {
  readonly account: GmailAccount
  readonly store: GmailStore
  view: View | undefined
  /** Sends untagged answers. */
  say(text: string): void
}

export interface Asked {
  readonly session: Session
  readonly tag: string
  readonly args: readonly Node[]
  /** Whether the command stood behind UID. */
  readonly byUid: boolean
}

/** Carries a command out and gives the tagged answer without its tag. */
export type Perform = (asked: Asked) => string

/** A command that Gmail understands and does not carry out. */
export class Refused extends Error {}
