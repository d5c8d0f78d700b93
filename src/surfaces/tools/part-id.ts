/**
 * A part of a message by its number or its file name. A whole number counts as its text: clients that read `part_id: 2` send it
 * back that way. A part such as 1.10 has to be a string, since JSON would make 1.1 of it.
 */
import { z } from 'zod'
import { line } from './line.ts'

export function partId(text = line(1024)) {
  return z.preprocess((given) => (Number.isSafeInteger(given) ? String(given) : given), text)
}
