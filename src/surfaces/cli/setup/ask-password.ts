/**
 * The password of an account, kept or typed, tried at once at every server that it is for.
 *
 * INVARIANT: what comes back has been tried as it is: servers, login names and passwords together.
 */

import { Failure } from '../../../core/failure.ts'
import { serverText } from '../../../core/setup/servers.ts'
import type { Tried } from '../../../engine/setup/try-account.ts'
import { askPlaceAgain, isOfThePlace, lineWords, protocolOf } from './ask-place-again.ts'
import type { Whereabouts } from './ask-servers.ts'
import type { Asking } from './asking.ts'
import type { Trial } from './desk.ts'
import type { LoggedIn, Login, LoginPlace } from './login.ts'

interface Passwords {
  readonly own: string
  /** Where letters leave, if it is another one. */
  readonly smtp: string | undefined
  /** What the store has already need not be written to it. */
  readonly keepsOwn: boolean
  readonly keepsSmtp: boolean
}

const MOST_TRIES = 3

/** `kept` is where the password is that stays. */
export async function askPassword(asked: LoginPlace, asking: Asking, kept?: string): Promise<LoggedIn> {
  const { prompter, desk, signal } = asking
  let place = asked
  let passwords = await passwordsOf(asked, asking, kept)
  for (let refused = 0; ; ) {
    try {
      const trial = trialOf(place, passwords)
      const tried = await prompter.busy(trying(place), () => desk.trial(trial, signal))
      return { login: loginFrom(passwords, tried), place }
    } catch (error) {
      if (!(error instanceof Failure) || signal.aborted) throw error
      if (prompter.interactive && isOfThePlace(error)) {
        place = await askPlaceAgain(place, error, prompter)
        continue
      }
      refused += 1
      if (refused >= MOST_TRIES || !canAskAgain(error, asking)) throw withHelp(error, place)
      prompter.say([refusal(error, place), ...place.where.help].join('\n'))
      const again = await askAgain(place, passwords, error, asking)
      place = again.place
      passwords = again.passwords
    }
  }
}

/** A server that waits for TLS, or for none, says nothing for long: whoever waits sees what it was asked. */
function trying({ where, smtp }: LoginPlace): string {
  return `Trying to log in at ${[where.imap, ...(smtp === undefined ? [] : [smtp])].map(serverText).join(' and ')}`
}

async function passwordsOf(place: LoginPlace, asking: Asking, kept: string | undefined): Promise<Passwords> {
  const { choice, desk, signal } = asking
  const { smtpPasswordFile } = choice
  const own = kept === undefined ? tidy(await passwordFor(place, asking), place.where) : await desk.kept(kept)
  const smtpRef = smtpPasswordFile === undefined && place.smtp !== undefined ? place.there?.smtp?.secretRef : undefined
  const ofFile = smtpPasswordFile === undefined ? undefined : await desk.readSecret(smtpPasswordFile, signal)
  const smtp = smtpRef === undefined ? ofFile : await desk.kept(smtpRef)
  return { own, smtp, keepsOwn: kept !== undefined, keepsSmtp: smtpRef !== undefined }
}

function loginFrom({ own, smtp, keepsOwn, keepsSmtp }: Passwords, tried: Tried): Login {
  const smtpPassword = smtp === undefined || keepsSmtp ? {} : { smtpPassword: smtp }
  if (keepsOwn) return { way: 'kept', ...smtpPassword, tried }
  return { way: 'password', password: own, ...smtpPassword, tried }
}

function passwordFor({ address, where }: LoginPlace, { choice, prompter, desk, signal }: Asking): Promise<string> {
  if (choice.passwordFile !== undefined) return desk.readSecret(choice.passwordFile, signal)
  return prompter.secret({ flag: '--password-file', message: `${passwordWord(where)} of ${address}` })
}

function passwordWord({ ways }: Whereabouts): string {
  return ways.includes('app_password') ? 'App password' : 'Password'
}

/** Google shows its app passwords in groups, with blanks that are no part of them. */
function tidy(password: string, { kind }: Whereabouts): string {
  const grouped = kind === 'google' && /^([a-z]{4}\s+){3}[a-z]{4}$/.test(password.trim())
  return grouped ? password.replaceAll(/\s/g, '') : password
}

function trialOf({ where, smtp, users, caFile, there }: LoginPlace, passwords: Passwords): Trial {
  return {
    imap: where.imap,
    user: users.imap,
    password: passwords.own,
    ...(caFile !== undefined && { caFile }),
    ...(there?.ca !== undefined && { ca: there.ca }),
    ...(smtp !== undefined && {
      smtp: { server: smtp, user: users.smtp, password: passwords.smtp ?? passwords.own },
    }),
  }
}

/** What stands in a file is not typed otherwise. */
function canAskAgain(error: Failure, { choice, prompter }: Asking): boolean {
  const file = protocolOf(error) === 'smtp' ? choice.smtpPasswordFile : choice.passwordFile
  return prompter.interactive && error.code === 'auth_failed' && file === undefined
}

/** The login name may be what is wrong. Where letters leave is tried last, so by then the account's own login is good. */
async function askAgain(
  place: LoginPlace,
  passwords: Passwords,
  error: Failure,
  { prompter }: Asking,
): Promise<{ readonly place: LoginPlace; readonly passwords: Passwords }> {
  const { where, users } = place
  const word = passwordWord(where)
  if (protocolOf(error) === 'smtp') {
    const user = await prompter.text({
      flag: '--smtp-user',
      message: 'Login name where letters leave',
      initial: users.smtp,
    })
    const typed = await prompter.secret({ flag: '--smtp-password-file', message: `${word} of ${user} there` })
    const smtp = tidy(typed, where)
    return {
      place: { ...place, users: { ...users, smtp: user } },
      passwords: { ...passwords, smtp, keepsSmtp: false },
    }
  }
  const user = await prompter.text({ flag: '--user', message: 'Login name', initial: users.imap })
  const typed = await prompter.secret({ flag: '--password-file', message: `${word} of ${user}` })
  const smtp = users.smtp === users.imap ? user : users.smtp
  return {
    place: { ...place, users: { imap: user, smtp } },
    passwords: { ...passwords, own: tidy(typed, where), keepsOwn: false },
  }
}

/** Whoever has two servers wants to know which one it was. */
function refusal(error: Failure, { smtp }: LoginPlace): string {
  const words = lineWords(error)
  const isOfSmtp = error.code === 'auth_failed' && protocolOf(error) === 'smtp' && smtp !== undefined
  return isOfSmtp ? `where letters leave, ${serverText(smtp)}: ${words}` : words
}

function withHelp(error: Failure, place: LoginPlace): Failure {
  const words = refusal(error, place)
  const { help } = place.where
  const text = error.code === 'auth_failed' && help.length > 0 ? `${words}\n${help.join('\n')}` : words
  return new Failure(error.code, text, { cause: error })
}
