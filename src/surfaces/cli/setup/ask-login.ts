/** How the owner of an account proves to be that, tried at once. */
import { Failure } from '../../../core/failure.ts'
import { loginName, type Server, type Way } from '../../../core/setup/servers.ts'
import type { Tried } from '../../../engine/setup/try-account.ts'
import { askPlaceAgain, isOfTheLine, lineWords } from './ask-place-again.ts'
import type { Whereabouts } from './ask-servers.ts'
import type { SetupChoice } from './choice.ts'
import type { SetUpAccount, SetupDesk, Trial } from './desk.ts'
import type { Prompter } from './prompter.ts'

export type Login =
  /** Tried, and good. */
  | { readonly way: 'password'; readonly password: string; readonly smtpPassword?: string; readonly tried: Tried }
  /** Granted in a browser, later. */
  | { readonly way: 'oauth' }
  /** As it is kept already. */
  | { readonly way: 'kept' }

export interface LoginParts {
  readonly choice: SetupChoice
  readonly prompter: Prompter
  readonly desk: SetupDesk
  readonly signal: AbortSignal
}

export interface LoginPlace {
  readonly account: string
  readonly address: string
  readonly where: Whereabouts
  /** Where letters leave; absent where none are to. */
  readonly smtp: Server | undefined
  readonly there: SetUpAccount | undefined
}

const MOST_TRIES = 3

export function usersOf({ address, where, there }: LoginPlace, choice: SetupChoice): { imap: string; smtp: string } {
  const imap = choice.user ?? there?.user ?? loginName(address, where.login)
  const smtp = choice.smtpUser ?? there?.smtp?.user ?? choice.user ?? (where.login === 'address' ? imap : address)
  return { imap, smtp }
}

/** With the place as it is in the end: a server that cannot be reached is asked for again. */
export interface LoggedIn {
  readonly login: Login
  readonly place: LoginPlace
}

export async function askLogin(place: LoginPlace, parts: LoginParts): Promise<LoggedIn> {
  const { choice, prompter } = parts
  if (choice.auth === 'oauth' && choice.passwordFile !== undefined) {
    throw new Failure('invalid_input', 'say only one of --auth oauth and --password-file')
  }
  if (place.there !== undefined && (await isKept(place.there, parts))) return { login: { way: 'kept' }, place }
  const way = choice.auth ?? (choice.passwordFile === undefined ? await askWay(place.where.ways, prompter) : 'password')
  return way === 'oauth' ? { login: { way }, place } : askPassword(place, parts)
}

function isKept(there: SetUpAccount, { choice, prompter }: LoginParts): Promise<boolean> | boolean {
  if (choice.passwordFile !== undefined || choice.auth !== undefined) return false
  const message = there.auth === 'password' ? 'Keep the password as it is?' : 'Keep the access that was granted?'
  return prompter.agree({ flag: '--password-file', message, initial: true })
}

const WAYS: Readonly<Record<Way, string>> = {
  password: 'Password',
  app_password: 'App password',
  oauth: 'Grant access in the browser (OAuth; needs an app that you register once)',
}

async function askWay(ways: readonly Way[], prompter: Prompter): Promise<'password' | 'oauth'> {
  const [usual = 'password', ...others] = ways
  const way =
    others.length === 0
      ? usual
      : await prompter.choose<Way>({
          flag: '--auth',
          message: 'How do you want to log in?',
          options: ways.map((value) => ({ value, label: WAYS[value] })),
          initial: usual,
        })
  return way === 'oauth' ? 'oauth' : 'password'
}

async function askPassword(asked: LoginPlace, parts: LoginParts): Promise<LoggedIn> {
  const { choice, prompter, desk, signal } = parts
  const { smtpPasswordFile } = choice
  const smtpPassword = smtpPasswordFile === undefined ? undefined : await desk.readSecret(smtpPasswordFile, signal)
  let place = asked
  let password: string | undefined
  for (let refused = 0; ; ) {
    password ??= tidy(await passwordFor(place, parts), place.where)
    try {
      const trial = trialOf(place, choice, password, smtpPassword)
      const tried = await prompter.busy('Trying to log in', () => desk.trial(trial, signal))
      const login = { way: 'password', password, ...(smtpPassword !== undefined && { smtpPassword }), tried } as const
      return { login, place }
    } catch (error) {
      if (!(error instanceof Failure) || signal.aborted) throw error
      if (prompter.interactive && isOfTheLine(error)) {
        place = await askPlaceAgain(place, error, prompter)
        continue
      }
      refused += 1
      const isLast = refused >= MOST_TRIES || choice.passwordFile !== undefined || !prompter.interactive
      if (isLast || error.code !== 'auth_failed') throw withHelp(error, place.where)
      prompter.say([error.message, ...place.where.help].join('\n'))
      password = undefined
    }
  }
}

function passwordFor({ address, where }: LoginPlace, { choice, prompter, desk, signal }: LoginParts): Promise<string> {
  if (choice.passwordFile !== undefined) return desk.readSecret(choice.passwordFile, signal)
  const what = where.ways.includes('app_password') ? 'App password' : 'Password'
  return prompter.secret({ flag: '--password-file', message: `${what} of ${address}` })
}

/** Google shows its app passwords in groups, with blanks that are no part of them. */
function tidy(password: string, { kind }: Whereabouts): string {
  const grouped = kind === 'google' && /^([a-z]{4}\s+){3}[a-z]{4}$/.test(password.trim())
  return grouped ? password.replaceAll(/\s/g, '') : password
}

function trialOf(place: LoginPlace, choice: SetupChoice, password: string, smtpPassword: string | undefined): Trial {
  const { account, where, smtp } = place
  const users = usersOf(place, choice)
  return {
    account,
    imap: where.imap,
    user: users.imap,
    password,
    ...(choice.caFile !== undefined && { caFile: choice.caFile }),
    ...(smtp !== undefined && { smtp: { server: smtp, user: users.smtp, password: smtpPassword ?? password } }),
  }
}

function withHelp(error: Failure, { help }: Whereabouts): Failure {
  const words = lineWords(error)
  const text = error.code === 'auth_failed' && help.length > 0 ? `${words}\n${help.join('\n')}` : words
  return new Failure(error.code, text, { cause: error })
}
