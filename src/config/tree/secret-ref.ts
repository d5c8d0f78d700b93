/** References to secrets, `secret://path/segments`. What stands in place of one is never quoted: it may be the secret. */
import type { Fields } from './fields.ts'

const SEGMENT = /^[\p{L}\p{N}_.@+~=,-]+$/u

/** Absent where there is none or it is malformed; the latter has been told. */
export function readSecretRef(fields: Fields, key: string): string | undefined {
  const ref = fields.text(key)
  if (ref === undefined || isSecretRef(ref)) return ref
  fields.problem(
    key,
    `${key} does not name a place in the secret store; write secret://accounts/work/password or the like instead`,
  )
  return undefined
}

function isSecretRef(ref: string): boolean {
  const path = /^secret:\/\/(.+)$/u.exec(ref)?.[1]
  return path?.split('/').every((segment) => SEGMENT.test(segment) && !/^\.+$/.test(segment)) ?? false
}
