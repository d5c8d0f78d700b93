/** Text that reaches a server: one line, printable and well formed. */
import { z } from 'zod'

const CONTROL = /\p{Cc}/u

export function line(max: number): z.ZodString {
  return z.string().min(1).max(max).refine(isLine, { error: 'must not contain control characters' })
}

export function isLine(text: string): boolean {
  return !CONTROL.test(text) && text.isWellFormed()
}
