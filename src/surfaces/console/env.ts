/** What a request carries through the console. */
import type { Lock, SignedIn } from '../../engine/console/lock.ts'

export type Env = {
  Bindings: { readonly address: string }
  Variables: { secret: string; session: SignedIn['session'] }
}

export type LockSession = Awaited<ReturnType<Lock['session']>>
