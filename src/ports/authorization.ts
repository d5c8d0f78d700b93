/**
 * How a person lets us into an account: in a browser, at the provider.
 *
 * Promises: `begin` contacts nobody but the provider's own description. One authorization yields tokens once; an answer
 * that was not asked for (other state, other issuer) never does. All ends with the signal, and with `close`.
 */
import type { Tokens } from './token-endpoint.ts'

export interface Authorization {
  begin(request: AuthorizationRequest, signal: AbortSignal): Promise<PendingAuthorization>
}

export interface AuthorizationRequest {
  /** With blanks between them; empty where the provider chooses. */
  readonly scope: string
  /** The address whose mail it is, so that the provider offers the right account. */
  readonly loginHint: string | undefined
  /** The browser cannot reach this machine: nothing listens here, and the person pastes what it shows. */
  readonly paste: boolean
}

export interface PendingAuthorization {
  /** For the person's browser. Holds no secret. */
  readonly url: string
  /** Waits for the browser to come back. Not for `paste`. */
  returned(): Promise<Tokens>
  /** Takes the address the browser was sent to, or the code in it. */
  redeem(pasted: string): Promise<Tokens>
  close(): Promise<void>
}
