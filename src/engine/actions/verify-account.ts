/** Connects, logs in and asks the server what it can do. */
import { Failure } from '../../core/failure.ts'
import { summaryOf } from './list-accounts.ts'
import type { Perform } from './workshop.ts'

export const verifyAccount: Perform<'verify_account'> = async (action, { accounts, clock, signal }) => {
  const account = accounts.get(action.account)
  const { source, host, port, secure } = account
  const started = clock.elapsed()
  const capabilities = await source.probe(signal).catch((error: unknown) => {
    throw error instanceof Failure ? atServer(error, { host, port, secure }) : error
  })
  return { account: await summaryOf(account), capabilities, latencyMs: Math.round(clock.elapsed() - started) }
}

/** Where the account was looked for is part of what went wrong. */
function atServer(
  failure: Failure,
  server: { readonly host: string; readonly port: number; readonly secure: boolean },
): Failure {
  const { code, message, stage } = failure
  return new Failure(code, message, { cause: failure, details: { ...server }, ...(stage !== undefined && { stage }) })
}
