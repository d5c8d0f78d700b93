/** How the owner of an account proves to be that. */

import { Failure } from '../../../core/failure.ts'
import type { Way } from '../../../core/setup/servers.ts'
import { askPassword } from './ask-password.ts'
import type { Asking } from './asking.ts'
import type { SetUpAccount } from './desk.ts'
import type { LoggedIn, LoginPlace } from './login.ts'
import type { Prompter } from './prompter.ts'

export async function askLogin(place: LoginPlace, asking: Asking): Promise<LoggedIn> {
  const { choice, prompter } = asking
  const { there } = place
  if (choice.auth === 'oauth' && choice.passwordFile !== undefined) {
    throw new Failure('invalid_input', 'say only one of --auth oauth and --password-file')
  }
  if (there !== undefined && (await isKept(there, asking))) {
    return there.auth === 'password' ? askPassword(place, asking, there.secretRef) : { login: { way: 'kept' }, place }
  }
  const way = choice.auth ?? (choice.passwordFile === undefined ? await askWay(place.where.ways, prompter) : 'password')
  return way === 'oauth' ? { login: { way }, place } : askPassword(place, asking)
}

function isKept(there: SetUpAccount, { choice, prompter }: Asking): Promise<boolean> | boolean {
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
