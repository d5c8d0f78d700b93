/** Coming in, asking who one is, and leaving. */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import { SESSION_MS } from '../../engine/console/lock.ts'
import { wrongLink } from './answers.ts'
import { bodyOf, NOTHING } from './body.ts'
import { cookieText } from './cookie.ts'
import type { Env, LockSession } from './env.ts'
import type { EventStreams } from './events.ts'

const SIGN_IN = z.strictObject({ token: z.string().max(200) })

/** The only thing that can be done without a session. */
export function addSignIn(app: Hono<Env>, { lock, about }: Pick<ConsoleDesk, 'lock' | 'about'>): void {
  app.post('/console/api/sign-in', async (c) => {
    const { token } = await bodyOf(c, SIGN_IN)
    const signedIn = await lock.signIn(token, c.env.address)
    if (signedIn === undefined) {
      await lock.refused('console_wrong_link', c.env.address)
      return wrongLink(c, about.programForStrangers)
    }
    c.header('Set-Cookie', cookieText(signedIn.secret, SESSION_MS / 1000, isEncrypted(c)))
    return c.json(described(signedIn.session, about))
  })
}

export function addSession(
  app: Hono<Env>,
  { lock, about }: Pick<ConsoleDesk, 'lock' | 'about'>,
  streams: EventStreams,
): void {
  app.get('/console/api/session', (c) => c.json(described(c.get('session'), about)))
  app.post('/console/api/sign-out', async (c) => {
    await bodyOf(c, NOTHING)
    const session = c.get('session')
    await lock.signOut(c.get('secret'), session, c.env.address)
    streams.endOf(session.name)
    c.header('Set-Cookie', cookieText('', 0, isEncrypted(c)))
    return c.json({})
  })
}

function described({ user, csrf }: NonNullable<LockSession>, about: ConsoleDesk['about']): object {
  const { version, devMode, host, program } = about
  return { user, csrf, version, devMode, host, program }
}

/** A proxy in front of us may take care of TLS: then only the browser knows. */
function isEncrypted(c: Context<Env>): boolean {
  return c.req.header('origin')?.startsWith('https:') === true
}
