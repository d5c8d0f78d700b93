/** Accounts, and what moves between them. */
import type { Hono } from 'hono'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import { bodyOf, NOTHING } from './body.ts'
import type { Env } from './env.ts'
import { deadline, whoIn } from './request.ts'

export function addAccounts(app: Hono<Env>, { accounts }: Pick<ConsoleDesk, 'accounts'>): void {
  app.get('/console/api/accounts', async (c) => c.json({ accounts: await accounts.list() }))
  app.post('/console/api/accounts/:id/reconnect', async (c) => {
    await bodyOf(c, NOTHING)
    return c.json(await accounts.reconnect(c.req.param('id'), whoIn(c), deadline(c)))
  })
}

export function addTransfers(app: Hono<Env>, { transfers }: Pick<ConsoleDesk, 'transfers'>): void {
  app.get('/console/api/transfers', async (c) =>
    c.json({ transfers: await transfers.list(c.req.query('all') === '1') }),
  )
  app.post('/console/api/transfers/:id/retry', async (c) => {
    await bodyOf(c, NOTHING)
    return c.json(await transfers.retry(c.req.param('id'), whoIn(c)))
  })
  app.post('/console/api/transfers/:id/abandon', async (c) => {
    await bodyOf(c, NOTHING)
    return c.json(await transfers.abandon(c.req.param('id'), whoIn(c)))
  })
}
