/** A server that cannot be reached: what is wrong in the words of this command, and where it is instead. */
import type { Failure } from '../../../core/failure.ts'
import { askServerAgain, type Protocol } from './ask-server.ts'
import type { LoginPlace } from './login.ts'
import { type Prompter, stopped } from './prompter.ts'

const OF_THE_LINE: readonly string[] = ['unavailable', 'timeout', 'tls_failed', 'rejected']

/** Host, port, TLS or whom to trust may be wrong, whatever the password is. */
export function isOfThePlace(error: Failure): boolean {
  return OF_THE_LINE.includes(error.code) || isOfAuthority(error)
}

/** The file that was named is none. */
function isOfAuthority({ details }: Failure): boolean {
  return details?.['option'] === '--ca-file'
}

function isUntrusted({ code, message }: Failure): boolean {
  return code === 'tls_failed' && (message.split(';')[0] ?? '').endsWith('is not trusted')
}

/** The server's own words name settings; here options are what helps. */
export function lineWords(error: Failure): string {
  if (isUntrusted(error)) {
    const [what = ''] = error.message.split(';')
    const cure = 'add --ca-file PATH, a PEM file that may hold several and counts for both servers'
    return `${what}; if it has a certificate authority of its own, ${cure}`
  }
  if (error.code === 'timeout' && error.message.endsWith('expects TLS from the start')) {
    return `${error.message}: --${protocolOf(error)}-tls implicit`
  }
  return error.message
}

/** Which of its servers it was. */
export function protocolOf({ details }: Failure): Protocol {
  return details?.['server'] === 'smtp' ? 'smtp' : 'imap'
}

/** Of providers that are known by name the servers are known too. */
export async function askPlaceAgain(place: LoginPlace, error: Failure, prompter: Prompter): Promise<LoginPlace> {
  const { where, smtp } = place
  const protocol = protocolOf(error)
  prompter.say(lineWords(error))
  const asksAuthority = isUntrusted(error) || isOfAuthority(error)
  const next = await prompter.choose<'authority' | 'change' | 'again' | 'stop'>({
    flag: `--${protocol}-host`,
    message: 'What now?',
    options: [
      ...(asksAuthority ? [AUTHORITY] : []),
      ...(where.kind === 'imap-standard' ? [{ value: 'change', label: 'Change host, port or TLS' } as const] : []),
      { value: 'again', label: 'Try the same again' },
      { value: 'stop', label: 'Stop', hint: 'nothing is written' },
    ],
    initial: asksAuthority ? 'authority' : where.kind === 'imap-standard' ? 'change' : 'again',
  })
  if (next === 'stop') throw stopped()
  if (next === 'again') return place
  if (next === 'authority') return { ...place, caFile: await askAuthority(place, prompter) }
  if (protocol === 'smtp' && smtp !== undefined) return { ...place, smtp: await askServerAgain('smtp', smtp, prompter) }
  return { ...place, where: { ...where, imap: await askServerAgain('imap', where.imap, prompter) } }
}

const AUTHORITY = {
  value: 'authority',
  label: 'Name a certificate authority to trust',
  hint: 'a PEM file on this machine',
} as const

function askAuthority({ caFile }: LoginPlace, prompter: Prompter): Promise<string> {
  return prompter.text({
    flag: '--ca-file',
    message: 'Which file holds it? It may hold several, and counts for both servers.',
    ...(caFile !== undefined && { initial: caFile }),
    problem: (text) => (text.trim() === '' ? 'write the path of a PEM file' : undefined),
  })
}
