/** Letters: what waits, one of them in full, and a person's word on it. */
import type { Hono } from 'hono'
import { z } from 'zod'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import { bodyOf, NOTHING } from './body.ts'
import type { Env } from './env.ts'
import { whoIn } from './request.ts'

const LONGEST_REASON = 500
const APPROVAL = z.strictObject({ digest: z.string().max(100).optional(), acknowledged: z.boolean().optional() })
const REVISION = z.strictObject({ how: z.enum(['plain_text', 'without_hidden']) })
const REJECTION = z.strictObject({
  reason: z
    .string()
    .max(LONGEST_REASON)
    .regex(/^\P{Cc}*$/u)
    .optional(),
})
const SETTLING = z.strictObject({ wasSent: z.boolean() })

export function addOutbox(app: Hono<Env>, { letters }: Pick<ConsoleDesk, 'letters'>): void {
  app.get('/console/api/outbox', async (c) => c.json({ letters: await letters.list(c.req.query('all') === '1') }))
  app.get('/console/api/outbox/:id', async (c) => c.json(await letters.show(c.req.param('id'), c.req.raw.signal)))
  app.post('/console/api/outbox/:id/approve', async (c) => {
    return c.json(await letters.approve(c.req.param('id'), whoIn(c), await bodyOf(c, APPROVAL)))
  })
  app.post('/console/api/outbox/:id/revise', async (c) => {
    const { how } = await bodyOf(c, REVISION)
    return c.json(await letters.revise(c.req.param('id'), whoIn(c), how, c.req.raw.signal))
  })
  app.post('/console/api/outbox/:id/reject', async (c) => {
    const reason = (await bodyOf(c, REJECTION)).reason?.trim()
    return c.json(await letters.reject(c.req.param('id'), whoIn(c), reason === '' ? undefined : reason))
  })
  app.post('/console/api/outbox/:id/settle', async (c) => {
    const { wasSent } = await bodyOf(c, SETTLING)
    return c.json(await letters.settle(c.req.param('id'), whoIn(c), wasSent))
  })
  app.post('/console/api/outbox/:id/look', async (c) => {
    await bodyOf(c, NOTHING)
    return c.json({ found: await letters.look(c.req.param('id'), c.req.raw.signal) })
  })
}
