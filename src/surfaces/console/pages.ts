/**
 * The page itself: the same three files for everybody, signed in or not. They hold nothing of anybody.
 *
 * INVARIANT: what is served stands in these lists. Opening a link uses nothing up: only what the page then posts does.
 */
import type { Context, Hono } from 'hono'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import type { Env } from './env.ts'

const ADDRESSES = [
  '/console/',
  '/console/sign-in',
  ...['outbox', 'activity', 'access', 'accounts', 'transfers'].map((name) => `/console/${name}`),
  '/console/outbox/:id{[0-9a-f-]+}',
]

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
} as const

const NOT_BUILT = 'The page of the console was not built: run "npm run build", or install Postern again.\n'

export function addPages(app: Hono<Env>, { files }: Pick<ConsoleDesk, 'files'>): void {
  const serve = async (c: Context<Env>, name: keyof typeof TYPES): Promise<Response> => {
    const file = await files.read(name)
    if (file === undefined) return c.text(NOT_BUILT, 503)
    const headers = {
      'Content-Type': TYPES[name],
      ETag: file.etag,
      'Cache-Control': 'no-cache',
      Vary: 'Accept-Encoding',
    }
    if (c.req.header('if-none-match') === file.etag) return c.body(null, 304, headers)
    const packs = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
    return packs
      ? c.body(file.gzipped, 200, { ...headers, 'Content-Encoding': 'gzip' })
      : c.body(file.bytes, 200, headers)
  }
  app.get('/', (c) => c.redirect('/console/', 302))
  app.get('/console', (c) => c.redirect('/console/', 302))
  for (const address of ADDRESSES) app.get(address, (c) => serve(c, 'index.html'))
  app.get('/console/app.js', (c) => serve(c, 'app.js'))
  app.get('/console/app.css', (c) => serve(c, 'app.css'))
}
