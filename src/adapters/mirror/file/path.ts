/** Where the mirror of an account lies. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** Told apart by a hash, since two accounts may differ in nothing but what no file name can hold. */
export function mirrorPath(directory: string, accountId: string): string {
  const name = accountId.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
  const hash = createHash('sha256').update(accountId).digest('hex').slice(0, 12)
  return join(directory, `${name}-${hash}.db`)
}

/** Where a damaged mirror is kept until a person has looked at it; one at a time. */
export function setAsidePath(mirror: string): string {
  return `${mirror}.damaged`
}
