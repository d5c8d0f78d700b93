/** The one argument that goes on in uncertain text: how many characters of it earlier answers have shown. */
import { z } from 'zod'

export const uncertainOffset = z.int().min(0).optional()

/** For an action. */
export function uncertainFrom(offset: number | undefined): { readonly uncertainFrom?: number } {
  return offset === undefined ? {} : { uncertainFrom: offset }
}
