/**
 * Who may use the console: whoever had a link from this machine, for half a day.
 *
 * INVARIANT: a sign-in counts only once it is on record, and a refusal stands whether or not it can be. A flood of refusals costs
 * a bounded number of records. Knows nothing of agents and their tokens.
 */
import { consoleEvent } from '../../core/audit/console-events.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ConsoleKeys, ConsoleSession } from '../../ports/console-keys.ts'
import type { Log } from '../../ports/log.ts'
import { recordTurnedAway } from '../gate/turned-away.ts'

export const LINK_MS = 10 * 60 * 1000
export const SESSION_MS = 12 * 60 * 60 * 1000

export type Refusal =
  | 'console_wrong_link'
  | 'console_no_session'
  | 'console_wrong_origin'
  | 'console_wrong_csrf'
  | 'console_disguised_path'

export interface Lock {
  /** The secret of a new link, for one sign-in. */
  newLink(): Promise<string>
  /** Undefined where the link is used up, over, or none of ours. */
  signIn(link: string, address: string): Promise<SignedIn | undefined>
  session(secret: string): Promise<ConsoleSession | undefined>
  signOut(secret: string, session: ConsoleSession, address: string): Promise<void>
  refused(reason: Refusal, address: string): Promise<void>
}

export interface SignedIn {
  readonly secret: string
  readonly session: ConsoleSession
}

export interface LockParts {
  readonly keys: ConsoleKeys
  readonly audit: Pick<AuditLog, 'append'>
  readonly clock: Clock
  readonly log: Log
  /** Whose machine it is: the user that runs this process. */
  readonly user: string
}

export function createLock({ keys, audit, clock, log, user }: LockParts): Lock {
  const turnedAway = recordTurnedAway(audit, clock)
  const onRecord = async (event: 'console_sign_in' | 'console_sign_out', who: string, from: string): Promise<void> => {
    await audit.append(consoleEvent(new Date(clock.now()).toISOString(), event, who, from))
  }
  return {
    newLink: () => keys.newLink(clock.now() + LINK_MS),
    async signIn(link, address) {
      const now = clock.now()
      if (!(await keys.useLink(link, now))) return undefined
      await onRecord('console_sign_in', user, address)
      const secret = await keys.newSession({ user, expires: now + SESSION_MS })
      const session = await keys.session(secret, now)
      return session && { secret, session }
    },
    session: (secret) => keys.session(secret, clock.now()),
    async signOut(secret, session, address) {
      await keys.endSession(secret)
      await onRecord('console_sign_out', session.user, address)
    },
    refused: (reason, address) =>
      turnedAway(reason, address).catch((err: unknown) => log.error({ err, reason }, 'a refusal is not on record')),
  }
}
