/**
 * What the library asks of a server around the login that nobody here needs, each a round trip of its own.
 *
 * INVARIANT: leaves the library as it is where it is no longer made in this way; a test notices that. Who we are is told all
 * the same, by the dialogue, along with its first command: some servers open no mailbox for whom they do not know.
 */
import type { ImapFlow } from 'imapflow'
import type { Credentials } from '../../ports/access.ts'

/** Through this one method the library sends everything; it is not among its types. */
interface Running {
  run?: (command: string, ...rest: unknown[]) => Promise<unknown>
}

export function withoutSmallTalk(client: ImapFlow, { kind }: Credentials): void {
  const running: ImapFlow & Running = client
  const run = running.run?.bind(client)
  if (run === undefined) return
  // A token that opens no mailbox shows at NAMESPACE, while there is still time to log in with another.
  const unsaid = kind === 'token' ? ['ID'] : ['ID', 'NAMESPACE']
  running.run = async (command, ...rest) => (unsaid.includes(command) ? undefined : run(command, ...rest))
}
