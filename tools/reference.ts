/** `npm run reference`: writes the pages that are made from the program. A test says when they are out of date. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { madePages } from './reference-pages.ts'

const ROOT = join(import.meta.dirname, '..')

for (const { path, text } of madePages()) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  writeFileSync(join(ROOT, path), text)
}
