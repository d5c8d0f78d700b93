/** Folder paths as policies write them: a slash between levels whatever the server's own separator, `*` or `**` at the end. */
import { isPattern } from '../../core/policy/policy.ts'

/** What is wrong with a path and what to write, or nothing. */
export function problemOfPath(path: string): string | undefined {
  const levels = path.split('/')
  if (path.startsWith('/')) return 'path begins with a slash; write it without instead'
  if (path.endsWith('/')) return 'path ends with a slash; write it without instead, or /* for what is below'
  if (levels.includes('')) return 'path has an empty level; write one slash between levels instead'
  const named = isPattern(path) ? levels.slice(0, -1) : levels
  if (named.some((level) => level.includes('*'))) {
    return 'a * stands only for the whole last level; write the path to /* (children) or /** (all below) instead'
  }
  return undefined
}

/** The same for two paths that a server, or a person, would take for one. */
export function collisionKey(path: string): string {
  return path.normalize('NFC').replace(/^inbox(?=\/|$)/i, 'INBOX')
}
