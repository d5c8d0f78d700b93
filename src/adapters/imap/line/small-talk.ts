/**
 * What the library asks of a server around the login that nobody here needs, each a round trip of its own.
 *
 * INVARIANT: leaves the library as it is where it is no longer made in this way; a test notices that. Who we are is told all
 * the same, by the dialogue, along with its first command: some servers open no mailbox for whom they do not know.
 */
import type { ImapFlow } from 'imapflow'
import type { Credentials } from '../../../ports/access.ts'

/** Through this one method the library sends everything, and through this stream it reads; they are not among its types. */
interface Running {
  run?: (command: string, ...rest: unknown[]) => Promise<unknown>
  readonly streamer?: Partial<Reading>
}

interface Reading {
  readonly state: number
  readonly lineBytes: number
  readonly inputBuffer: readonly unknown[]
  readonly inputQueue: readonly unknown[]
}

export function withoutSmallTalk(client: ImapFlow, { kind }: Credentials): void {
  const running: ImapFlow & Running = client
  const run = running.run?.bind(client)
  if (run === undefined) return
  // A token that opens no mailbox shows at NAMESPACE, while there is still time to log in with another.
  const unsaid = kind === 'token' ? ['ID'] : ['ID', 'NAMESPACE']
  running.run = async (command, ...rest) => (unsaid.includes(command) ? undefined : run(command, ...rest))
}

const MOST_ROUNDS = 2

/**
 * The library may have read the beginning of something that the server says after its answer, and would keep it. One exchange
 * more, and it has read the rest. Where it no longer tells, it is asked to do so once, in any case.
 */
export async function readOn(client: ImapFlow): Promise<void> {
  const running: ImapFlow & Running = client
  for (let round = 0; round < MOST_ROUNDS && !isAtRest(running); round += 1) await running.run?.('NOOP')
}

/** Between two answers. */
const BETWEEN = 1

function isAtRest({ streamer }: Running): boolean {
  const { state, lineBytes, inputBuffer, inputQueue } = streamer ?? {}
  return state === BETWEEN && lineBytes === 0 && inputBuffer?.length === 0 && inputQueue?.length === 0
}
