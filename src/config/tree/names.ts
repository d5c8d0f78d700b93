/** The names of callers and policies. */
import type { Fields } from './fields.ts'

const NAME = /^[A-Za-z0-9_.-]{1,64}$/

export function isName(text: string): boolean {
  return NAME.test(text)
}

/** Empty where there is none; what is wrong has been told. */
export function readName(fields: Fields, key: 'id' | 'name'): string {
  const name = fields.text(key) ?? ''
  if (name !== '' && !isName(name)) {
    fields.problem(key, `${key} cannot be used as it is; write 1 to 64 letters, digits, _ . or - instead`)
  }
  return name
}
