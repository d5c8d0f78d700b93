/** Where the uids of an account are kept: a name of its own for every account, whatever its id holds. */
import { hash } from 'node:crypto'
import { join } from 'node:path'

export function uidStorePath(directory: string, account: string): string {
  const readable = account.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 40)
  return join(directory, `${readable}-${hash('sha256', account, 'hex').slice(0, 12)}.db`)
}
