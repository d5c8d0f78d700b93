/** A server that cannot be reached: what is wrong in the words of this command, and where it is instead. */
import { Failure } from '../../../core/failure.ts'
import type { LoginPlace } from './ask-login.ts'
import { askServerAgain, type Protocol } from './ask-server.ts'
import type { Prompter } from './prompter.ts'

const OF_THE_LINE: readonly string[] = ['unavailable', 'timeout', 'tls_failed', 'rejected']

/** Host, port or TLS may be wrong, whatever the password is. */
export function isOfTheLine({ code }: Failure): boolean {
  return OF_THE_LINE.includes(code)
}

/** The server's own words name settings; here options are what helps. */
export function lineWords(error: Failure): string {
  const [what = ''] = error.message.split(';')
  if (error.code === 'tls_failed' && what.endsWith('is not trusted')) {
    const cure = 'add --ca-file PATH, a PEM file that may hold several and counts for both servers'
    return `${what}; if it has a certificate authority of its own, ${cure}`
  }
  if (error.code === 'timeout' && error.message.endsWith('expects TLS from the start')) {
    return `${error.message}: --${protocolOf(error)}-tls implicit`
  }
  return error.message
}

/** Which of its servers it was. */
function protocolOf({ details }: Failure): Protocol {
  return details?.['server'] === 'smtp' ? 'smtp' : 'imap'
}

/** Of providers that are known by name the servers are known too. */
export async function askPlaceAgain(place: LoginPlace, error: Failure, prompter: Prompter): Promise<LoginPlace> {
  const { where, smtp } = place
  const protocol = protocolOf(error)
  prompter.say(lineWords(error))
  const next = await prompter.choose<'change' | 'again' | 'stop'>({
    flag: `--${protocol}-host`,
    message: 'What now?',
    options: [
      ...(where.kind === 'imap-standard' ? [{ value: 'change', label: 'Change host, port or TLS' } as const] : []),
      { value: 'again', label: 'Try the same again' },
      { value: 'stop', label: 'Stop', hint: 'nothing is written' },
    ],
    initial: where.kind === 'imap-standard' ? 'change' : 'again',
  })
  if (next === 'stop') throw new Failure('cancelled', 'stopped; nothing was written')
  if (next === 'again') return place
  if (protocol === 'smtp' && smtp !== undefined) return { ...place, smtp: await askServerAgain('smtp', smtp, prompter) }
  return { ...place, where: { ...where, imap: await askServerAgain('imap', where.imap, prompter) } }
}
