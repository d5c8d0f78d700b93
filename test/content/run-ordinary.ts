/**
 * Prints how much of ordinary mail is delivered as visible, as uncertain, or not at all, a source at a time.
 *
 *     node test/content/run-ordinary.ts                              # benign, corpus, templates
 *     node test/content/run-ordinary.ts --sources corpus --every 10  # each tenth message of the corpus
 *     node test/content/run-ordinary.ts --folder /tmp/rendered       # the .html files of a folder
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { openOracle } from './oracle.ts'
import { commonest, figures, NOTHING, type Share, shareOf, sum } from './ordinary.ts'
import { benignPages, corpusPages, type Page, templates } from './sources.ts'
import type { Reader } from './verdict.ts'

const { values } = parseArgs({
  options: {
    sources: { type: 'string', default: 'benign,corpus,templates' },
    folder: { type: 'string' },
    every: { type: 'string', default: '1' },
    source: { type: 'string', default: 'src/adapters/mime/visible-text.ts' },
    worst: { type: 'string', default: '15' },
  },
})
const { visibleText }: { readonly visibleText: Reader } = await import(pathToFileURL(resolve(values.source)).href)
const SOURCES: Readonly<Record<string, () => Page[]>> = {
  benign: benignPages,
  corpus: corpusPages,
  templates: () => templates(),
  folder: () => templates(values.folder),
}
const oracle = await openOracle()
try {
  for (const name of values.folder === undefined ? values.sources.split(',') : ['folder']) await measure(name)
} finally {
  await oracle.close()
}

async function measure(name: string): Promise<void> {
  const pages = (SOURCES[name]?.() ?? []).filter((_, at) => at % Number(values.every) === 0)
  const shares: { readonly name: string; readonly share: Share }[] = []
  for (const page of pages) shares.push({ name: page.name, share: await shareOf(visibleText, oracle, page.html) })
  const all = shares.reduce((total, { share }) => sum(total, share), NOTHING)
  print(`## ${name}: ${pages.length} pages, ${figures(all)}`)
  if (all.reasons.length > 0) print(`  reasons: ${commonest(all.reasons)}`)
  const wrong = ({ share }: { readonly share: Share }): number => share.uncertain + 10 * share.lost
  for (const one of shares.toSorted((a, b) => wrong(b) - wrong(a)).slice(0, Number(values.worst))) {
    if (wrong(one) === 0) continue
    print(`  ${one.name}: ${figures(one.share)}`)
    if (one.share.lost > 0) print(`    lost: ${one.share.missing.slice(0, 12).join(' ')}`)
    if (one.share.uncertain === 0) continue
    print(`    uncertain: ${one.share.withheld.slice(0, 12).join(' ')}`)
    print(`    reasons: ${commonest(one.share.reasons)}`)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
