/** Connects, logs in and asks the server what it can do. */
import { Failure } from '../../core/failure.ts'
import type { AccountSummary } from '../../core/results.ts'
import type { Perform } from './workshop.ts'

export const verifyAccount: Perform<'verify_account'> = async (action, { accounts, clock, signal }) => {
  const { source, id, host, port, secure } = accounts.get(action.account)
  const started = clock.elapsed()
  const capabilities = await source.probe(signal).catch((error: unknown) => {
    throw error instanceof Failure ? atServer(error, { host, port, secure }) : error
  })
  return { account: { id, host, port, secure }, capabilities, latencyMs: Math.round(clock.elapsed() - started) }
}

/** Where the account was looked for is part of what went wrong. */
function atServer(failure: Failure, server: Omit<AccountSummary, 'id'>): Failure {
  const { code, message, stage } = failure
  return new Failure(code, message, { cause: failure, details: { ...server }, ...(stage !== undefined && { stage }) })
}
