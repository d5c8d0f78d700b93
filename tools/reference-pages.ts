/**
 * The pages, and parts of pages, that are made from the program.
 *
 * INVARIANT: the same program always gives the same text. Of a page that people write too, only what stands between its two marks
 * is replaced.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandsPage } from './reference-commands.ts'
import { configurationPage } from './reference-configuration.ts'
import { clientsText, providersText } from './reference-setup.ts'
import { toolsPage } from './reference-tools.ts'

const ROOT = join(import.meta.dirname, '..')
const NOTE = '<!-- Made by "npm run reference"; do not change it by hand. -->\n\n'
const BEGIN = '<!-- Made by "npm run reference" from here on; do not change it by hand. -->'
const END = '<!-- Written by hand from here on. -->'

export interface MadePage {
  /** Below the root of the project. */
  readonly path: string
  readonly text: string
}

export function madePages(): readonly MadePage[] {
  return [
    { path: 'docs/reference/commands.md', text: NOTE + commandsPage() },
    { path: 'docs/reference/tools.md', text: NOTE + toolsPage() },
    { path: 'docs/reference/configuration.md', text: NOTE + configurationPage() },
    filledIn('docs/providers.md', providersText()),
    filledIn('docs/clients.md', clientsText()),
  ]
}

function filledIn(path: string, made: string): MadePage {
  const page = readFileSync(join(ROOT, path), 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error(`${path} lacks the marks between which it is filled in`)
  return { path, text: `${page.slice(0, begin)}${BEGIN}\n\n${made}\n${page.slice(end)}` }
}
