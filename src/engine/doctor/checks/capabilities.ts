/** What each IMAP server can do of what we would like it to. */
import { Failure } from '../../../core/failure.ts'
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { Server } from '../world.ts'
import { isReachable } from './login.ts'

const REVISIONS = ['IMAP4REV1', 'IMAP4REV2']
/** Without it things still work, more slowly. */
const WELCOME = ['IDLE', 'MOVE', 'UIDPLUS', 'CONDSTORE', 'ESEARCH', 'SPECIAL-USE'] as const

export const capabilitiesCheck: Check = {
  name: 'capabilities',
  looksAt: 'what each mail server can do',
  patienceMs: 30_000,
  async run({ servers }, signal) {
    const imap = servers.filter(({ protocol }) => protocol === 'imap')
    return (await Promise.all(imap.map((server) => findingsOf(server, signal)))).flat()
  },
}

async function findingsOf(server: Server, signal: AbortSignal): Promise<readonly Finding[]> {
  if (!(await isReachable(server, signal))) return []
  try {
    return [judge(new Set(await server.logIn(signal)), server.account)]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Why there was no login is told by the check of logins.
    return []
  }
}

function judge(capabilities: ReadonlySet<string>, account: string): Finding {
  if (!REVISIONS.some((name) => capabilities.has(name))) {
    return broken('the server does not announce IMAP4rev1', 'ask your provider for its IMAP server', account)
  }
  const missing = WELCOME.filter((name) => !capabilities.has(name))
  if (!capabilities.has('UIDPLUS')) {
    const sentence = `the server lacks ${missing.join(', ')}: a message cannot be removed by itself, only flagged as deleted`
    return warning(
      sentence,
      'reading needs none of it; to move and delete mail, ask your provider for UIDPLUS',
      account,
    )
  }
  if (missing.length === 0) return ok('the server can do all we ask for', account)
  return ok(`the server lacks ${missing.join(', ')}: slower, nothing else`, account)
}
