/**
 * What a page posts.
 *
 * INVARIANT: never more is read than may be sent; what is no JSON, or not what was asked for, is `invalid_input` in our words.
 */
import { readRequestBody } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { z } from 'zod'
import { Failure } from '../../core/failure.ts'
import type { Env } from './env.ts'

const MOST_BYTES = 16 * 1024
/** A policy file may be as large as the tree takes it. */
export const MOST_POLICY_BYTES = 256 * 1024

/** What does something and needs to be told nothing. */
export const NOTHING = z.strictObject({})

export function isJson(contentType: string | undefined): boolean {
  return /^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(contentType?.trim() ?? '')
}

export async function bodyOf<T extends z.ZodType>(c: Context<Env>, shape: T, most = MOST_BYTES): Promise<z.output<T>> {
  const body = await readRequestBody(c.req.raw, most)
  if (body.tooLarge) throw new Failure('too_large', `a request may have at most ${most} bytes`)
  const read = shape.safeParse(parsed(body.text))
  if (read.success) return read.data
  const where = read.error.issues[0]?.path.join('.') ?? ''
  throw new Failure(
    'invalid_input',
    where === '' ? 'the request is not what is asked for here' : `${where} is not valid`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure('invalid_input', 'the request body is not valid JSON')
  }
}
