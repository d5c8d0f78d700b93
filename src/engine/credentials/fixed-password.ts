/** Access by a password that never changes: there is no other to turn to when it is refused. */
import type { Access } from '../../ports/access.ts'

export function fixedPassword(password: string): Access {
  return {
    credentials: async () => ({ kind: 'password', password }),
    standing: async () => ({ state: 'active', mayWrite: true }),
    refused: async () => undefined,
  }
}
