/**
 * The console over HTTP: what answers which path, and in what order a request is checked.
 *
 * INVARIANT: nothing of anybody is told without a session, and nothing changes without a session, our own Origin and its token.
 * Every answer carries the headers that keep other sites out. Whoever asks under another path is not answered here.
 */
import { type Context, Hono } from 'hono'
import { Failure } from '../../core/failure.ts'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import { addAccess } from './access-routes.ts'
import { addAccounts, addTransfers } from './account-routes.ts'
import { addActivity } from './activity-routes.ts'
import { failed, NOT_FOUND, notFound } from './answers.ts'
import type { Env } from './env.ts'
import { addEvents, Streams } from './events.ts'
import { fromOurPages, signedIn } from './guard.ts'
import { guarded } from './headers.ts'
import { addOutbox } from './outbox-routes.ts'
import { addPages } from './pages.ts'
import { placeOf } from './paths.ts'
import { addSession, addSignIn } from './session-routes.ts'

export interface ConsoleParts {
  readonly desk: ConsoleDesk
  onBug(error: unknown): void
  /** For tests: how often a stream says that it is alive. */
  readonly heartbeatMs?: number
}

export interface ConsoleDoor {
  /** Undefined for what is not the console's. Host names are checked by whoever calls. */
  answer(request: Request, from: RequestOrigin): Promise<Response | undefined>
  /** The address of a page that signs in once, below this server's own. */
  newLink(server: string): Promise<string>
  /** Ends what is still open. */
  close(): void
}

/** One that is reached at a server of ours. */
export interface ServedConsole extends ConsoleDoor {
  /** Lets `postern console --link` find it; `origin` is such as `http://127.0.0.1:8025`. Taken back when it closes. */
  announce(origin: string): void
}

export interface RequestOrigin {
  /** Of whoever asks. */
  readonly address: string
  /** As it stands in the request line. */
  readonly target: string
}

export function openConsoleDoor({ desk, onBug, heartbeatMs }: ConsoleParts): ConsoleDoor {
  const streams = new Streams(desk, heartbeatMs)
  const app = appOf(desk, streams, onBug)
  return {
    async answer(request, { address, target }) {
      const place = placeOf(target)
      if (place === 'elsewhere') return undefined
      if (place === 'ours') return guarded(await app.fetch(request, { address }))
      await desk.lock.refused('console_disguised_path', address)
      return guarded(Response.json(NOT_FOUND, { status: 404 }))
    },
    newLink: async (server) => new URL(`/console/sign-in?token=${await desk.lock.newLink()}`, server).href,
    close: () => streams.endAll(),
  }
}

function appOf(desk: ConsoleDesk, streams: Streams, onBug: (error: unknown) => void): Hono<Env> {
  const app = new Hono<Env>()
  addPages(app, desk)
  app.use('/console/api/*', fromOurPages(desk.lock))
  addSignIn(app, desk)
  app.use('/console/api/*', signedIn(desk))
  addSession(app, desk, streams)
  addOutbox(app, desk)
  addActivity(app, desk)
  addAccess(app, desk)
  addAccounts(app, desk)
  addTransfers(app, desk)
  addEvents(app, streams)
  app.notFound(notFound)
  app.onError((error, c: Context<Env>) => {
    if (error instanceof Failure) return failed(c, error)
    // Whoever left in the middle of a request is no bug of ours.
    if (!c.req.raw.signal.aborted) onBug(error)
    return failed(c, { code: 'internal', message: 'something unexpected happened; the log of the server says what' })
  })
  return app
}
