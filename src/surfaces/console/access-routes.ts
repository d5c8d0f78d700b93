/** What callers may see: as it is, for one message, and as another policy would have it. */
import type { Hono } from 'hono'
import { z } from 'zod'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import { bodyOf, MOST_POLICY_BYTES } from './body.ts'
import type { Env } from './env.ts'
import { deadline } from './request.ts'

const NAME = z.string().min(1).max(200)
const MESSAGE = z.strictObject({
  caller: NAME,
  account: NAME,
  mailbox: z.string().min(1).max(1000),
  uid: z.int().min(1).max(0xffff_ffff),
})
/** Longer than any policy that a person has written; what YAML can be made of takes long to read. */
const MOST_POLICY = 64_000
const POLICY = z.strictObject({ caller: NAME.optional(), policyText: z.string().max(MOST_POLICY) })

export function addAccess(app: Hono<Env>, { access }: Pick<ConsoleDesk, 'access'>): void {
  app.get('/console/api/access', (c) => c.json({ callers: access.list() }))
  app.post('/console/api/access/simulate', async (c) => {
    const asked = await bodyOf(c, MESSAGE)
    return c.json(await access.simulate(asked, deadline(c)))
  })
  app.post('/console/api/access/diff', async (c) => {
    const { caller, policyText } = await bodyOf(c, POLICY, MOST_POLICY_BYTES)
    return c.json(await access.diff(policyText, caller, deadline(c)))
  })
}
