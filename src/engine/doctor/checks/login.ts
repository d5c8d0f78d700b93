/** Whether each server lets us in. */
import { Failure } from '../../../core/failure.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { Server } from '../world.ts'
import { quoted } from './configuration.ts'
import { subjectOf } from './line.ts'

export const loginCheck: Check = {
  name: 'login',
  looksAt: 'whether each server lets us in',
  patienceMs: 30_000,
  run: async ({ servers }, signal) => (await Promise.all(servers.map((server) => findingsOf(server, signal)))).flat(),
}

/** What is wrong with the line, or with what we log in with, is told by the checks of those. */
export async function isReachable(server: Server, signal: AbortSignal): Promise<boolean> {
  return (await server.line(signal)).kind === 'open' && (await server.isReady())
}

async function findingsOf(server: Server, signal: AbortSignal): Promise<readonly Finding[]> {
  if (!(await isReachable(server, signal))) return []
  const subject = subjectOf(server)
  try {
    await server.logIn(signal)
    return [ok('logged in', subject)]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [refused(error, server, subject)]
  }
}

function refused(failure: Failure, server: Server, subject: string): Finding {
  const { settings, account, isOAuth, host } = server
  if (failure.details?.['reason'] === 'smtp_auth_disabled') {
    const cure = 'have an administrator turn on "Authenticated SMTP" for this mailbox, then run: postern doctor'
    return broken(failure.message, cure, subject)
  }
  if (failure.code === 'auth_failed') {
    const words = `set ${settings.password}; providers with two-step login want an app password there`
    const cure = isOAuth ? `run: postern oauth --account ${quoted(account)}` : words
    return broken(failure.message, cure, subject)
  }
  if (failure.code === 'timeout') return broken(failure.message, `look at the network, and at ${host} itself`, subject)
  if (failure.retryable) return warning(failure.message, 'wait a little, then run: postern doctor', subject)
  return broken(failure.message, `look at ${settings.host} and ${settings.port}, then run: postern doctor`, subject)
}
