/** The record, a page at a time. */
import type { Hono } from 'hono'
import { Failure } from '../../core/failure.ts'
import type { ConsoleDesk } from '../../engine/console/desk.ts'
import type { Env } from './env.ts'

const USUAL = 100
const MOST = 500
const FILTERS = ['caller', 'tool', 'decision', 'result', 'before'] as const

export function addActivity(app: Hono<Env>, { activity }: Pick<ConsoleDesk, 'activity'>): void {
  app.get('/console/api/activity', async (c) => {
    const asked = FILTERS.flatMap((name) => {
      const value = c.req.query(name)
      return value === undefined || value === '' ? [] : [[name, value] as const]
    })
    return c.json(await activity.page({ ...Object.fromEntries(asked), limit: limitFrom(c.req.query('limit')) }))
  })
}

function limitFrom(text: string | undefined): number {
  if (text === undefined || text === '') return USUAL
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MOST) return limit
  throw new Failure('invalid_input', `limit must be a number from 1 to ${MOST}`)
}
