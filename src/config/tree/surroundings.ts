/** What a tree is read in: its own directory, the home that `~` means, where state goes by default, and where Gmail is. */
import { isAbsolute, join, resolve } from 'node:path'
import type { GmailEndpoint } from '../gmail.ts'
import type { Fields } from './fields.ts'

export interface Surroundings {
  readonly directory: string
  readonly home: string | undefined
  readonly dataDirectory: string
  readonly gmail: GmailEndpoint
  /** The certificate authority of every account that names none of its own. */
  readonly ca: string | undefined
}

/** Relative paths are relative to the tree's directory. */
export function readPath(fields: Fields, key: string, { directory, home }: Surroundings): string | undefined {
  const path = fields.text(key)
  if (path === undefined || isAbsolute(path)) return path
  if (!/^~([/\\]|$)/.test(path)) return resolve(directory, path)
  if (home !== undefined) return join(home, path.slice(1))
  fields.problem(key, `${key} begins with ~ and there is no home directory; write the whole path instead`)
  return undefined
}
