/** What a person types to start this program. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whoever runs it from a clone has no `postern` on the path, but npx finds it there. */
export function programWords(script: string): string {
  for (let at = dirname(script); at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return 'npx postern'
  }
  return 'postern'
}
