/** What the mail-source contract is run on: a source, and ways to fill it as somebody else would. */
import type { MailSource } from '../../src/ports/mail-source.ts'
import type { SeedMessage } from './messages.ts'

export interface SourceUnderTest {
  readonly source: MailSource
  /** Creates the mailbox if it is not there, adds the messages as somebody else would, returns their uids in order. */
  seed(mailbox: string, messages: readonly SeedMessage[]): Promise<readonly number[]>
  /** Somebody else removes a message for good. Without it the source's own expunge is used. */
  vanish?(mailbox: string, uid: number): Promise<void>
  /** Whether the server can keep that flag; every flag where it is not said. */
  keepsFlag?(flag: string): boolean
  dispose(): Promise<void>
}

/** The source while its tests run, and ways to fill it. */
export interface Bench {
  readonly source: MailSource
  readonly seed: SourceUnderTest['seed']
  vanish(mailbox: string, uid: number): Promise<void>
  /** Those of these flags that the server can keep. */
  kept(flags: readonly string[]): string[]
  /** A mailbox nobody else uses, holding these messages. */
  mailbox(label: string, messages: readonly SeedMessage[]): Promise<Filled>
}

export interface Filled {
  readonly mailbox: string
  readonly uidvalidity: number
  readonly uids: readonly number[]
}

/** A signal that never aborts. */
export function never(): AbortSignal {
  return new AbortController().signal
}
