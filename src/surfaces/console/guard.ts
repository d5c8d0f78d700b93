/**
 * Who gets past the door of the API.
 *
 * INVARIANT: in this order: where the request comes from, who is signed in, whether it is a page of ours that asks for a change.
 * Only a POST changes anything. An `Authorization` header counts for nothing here.
 */
import type { Context, MiddlewareHandler } from 'hono'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import type { Lock, Refusal } from '../../engine/console/lock.ts'
import { noSession, refused } from './answers.ts'
import { isJson } from './body.ts'
import { secretIn } from './cookie.ts'
import type { Env } from './env.ts'
import { isFromElsewhere, isOurs } from './origin.ts'

/** For every request to the API, signed in or not. */
export function fromOurPages(lock: Lock): MiddlewareHandler<Env> {
  return async (c, next) => {
    const origin = c.req.header('origin')
    const mayBeAbsent = c.req.method === 'GET'
    const fits = (mayBeAbsent && origin === undefined) || isOurs(origin, c.req.header('host'))
    if (!fits || isFromElsewhere(c.req.header('sec-fetch-site'))) return turnAway(c, lock, 'console_wrong_origin')
    if (c.req.method === 'POST' && !isJson(c.req.header('content-type'))) {
      return c.json({ error: { code: 'invalid_input', message: 'send JSON' } }, 415)
    }
    return next()
  }
}

/** For all but the sign-in itself. */
export function signedIn({ lock, about }: Pick<ConsoleDesk, 'lock' | 'about'>): MiddlewareHandler<Env> {
  return async (c, next) => {
    const secret = secretIn(c.req.header('cookie'))
    const session = secret === undefined ? undefined : await lock.session(secret)
    if (secret === undefined || session === undefined) {
      // So a page asks whether somebody is signed in: that is no attempt at anything.
      const isQuestion = c.req.header('cookie') === undefined && c.req.path === '/console/api/session'
      if (!isQuestion) await lock.refused('console_no_session', c.env.address)
      return noSession(c, about.programForStrangers)
    }
    if (c.req.method !== 'GET' && !isSame(c.req.header('x-postern-csrf'), session.csrf)) {
      return turnAway(c, lock, 'console_wrong_csrf')
    }
    c.set('secret', secret)
    c.set('session', session)
    return next()
  }
}

async function turnAway(c: Context<Env>, lock: Lock, reason: Refusal): Promise<Response> {
  await lock.refused(reason, c.env.address)
  return refused(c)
}

/** In a time that tells nothing of where they differ. */
function isSame(given: string | undefined, wanted: string): boolean {
  if (given === undefined || given.length !== wanted.length) return false
  let difference = 0
  for (let at = 0; at < wanted.length; at++) difference |= given.charCodeAt(at) ^ wanted.charCodeAt(at)
  return difference === 0
}
